// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/PictureTabs.h"

#include <QActionGroup>

#include "ui/attribution/ExplanationView.h"
#include "ui/base/Actions.h"
#include "ui/base/Icons.h"
#include "ui/canvas/Canvas.h"
#include "ui/canvas/RolloutView.h"
#include "ui/compare/CompareView.h"
#include "ui/compare/SimilarityMatrix.h"
#include "ui/heads/HeadsGrid.h"
#include "ui/plots/RunCurvesPlot.h"

namespace headlight {
namespace {

constexpr const char* kPageName = "tab";

}  // namespace

PictureTabs::PictureTabs(Document* document, ModelWorker* look, const CompareSideOffers& offers,
                         QWidget* parent)
    : QTabWidget(parent),
      m_compare(new CompareView(document, look, offers, this)),
      m_ways(new ExplanationView(document, look, this)) {
  setObjectName(QStringLiteral("tabs"));
  setAccessibleName(tr("Pictures"));
  setDocumentMode(true);
  addPage(new Canvas(document, this), "canvas", "image", tr("Canvas"),
          tr("The picture and where one head looks"));
  addPage(new HeadsGrid(document, this), "heads", "heads", tr("Heads"),
          tr("Every layer and head at once"));
  addPage(new RolloutView(document, this), "rollout", "rollout", tr("Rollout"),
          tr("Attention through all layers"));
  addPage(m_compare, "compare", "compare", tr("Compare"),
          tr("Two of anything side by side; how alike layers look"));
  addPage(m_ways, "ways", "search", tr("Ways"),
          tr("What speaks for a class, what patches have in common, the prediction by depth"));
  connect(m_ways, &ExplanationView::chosen, this, &PictureTabs::showExplanation);
  connect(m_compare->sides(), &CompareSides::wanted, this, [this] {
    m_compare->setPage(CompareView::Page::Sides);
    showPage(QStringLiteral("compare"));
  });
  auto* choices = new QActionGroup(this);
  for (QAction* command : m_commands)
    choices->addAction(command);
  connect(this, &QTabWidget::currentChanged, this, &PictureTabs::markShown);
  markShown();
}

/// Two sides that are compared are looked at so, both.
void PictureTabs::showExplanation() {
  const bool sides = currentWidget() == m_compare && m_compare->page() == CompareView::Page::Sides;
  if (sides) return m_compare->sides()->showOtherExplanation();
  showPage(QStringLiteral("ways"));
}

void PictureTabs::addPage(QWidget* page, const QString& name, const QString& icon,
                          const QString& title, const QString& tip) {
  const int index = addTab(page, lineIcon(icon), title);
  setTabToolTip(index, tip);
  page->setProperty(kPageName, name);
  auto* command = makeCommand(this,
                              {QStringLiteral("view.tab.") + name,
                               tr("Show %1").arg(title),
                               tip,
                               QStringLiteral("Ctrl+%1").arg(index + 1),
                               {}},
                              [this, name] { showPage(name); });
  command->setCheckable(true);
  m_commands << command;
}

void PictureTabs::markShown() {
  m_commands[currentIndex()]->setChecked(true);
}

void PictureTabs::showPage(const QString& name) {
  for (int i = 0; i < count(); ++i)
    if (widget(i)->property(kPageName).toString() == name) setCurrentIndex(i);
}

QString PictureTabs::page() const {
  return currentWidget()->property(kPageName).toString();
}

void PictureTabs::focusPage() {
  QWidget* view = picture();
  (view ? view : currentWidget())->setFocus(Qt::OtherFocusReason);
}

QRect PictureTabs::contentArea() const {
  const QWidget* content = picture();
  const auto take = [&](const auto& widgets) {
    for (const QWidget* widget : widgets)
      if (!content && widget->isVisibleTo(this)) content = widget;
  };
  take(currentWidget()->findChildren<SimilarityMatrix*>());
  take(currentWidget()->findChildren<RunCurvesPlot*>());
  if (!content) content = currentWidget();
  const int top = content->mapTo(this, QPoint(0, 0)).y();
  return rect().adjusted(0, top, 0, 0);
}

PictureView* PictureTabs::picture() const {
  if (auto* picture = qobject_cast<PictureView*>(currentWidget())) return picture;
  for (PictureView* picture : currentWidget()->findChildren<PictureView*>())
    if (picture->isVisible()) return picture;
  return nullptr;
}

}  // namespace headlight
