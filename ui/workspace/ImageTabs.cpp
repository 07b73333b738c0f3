// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/ImageTabs.h"

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

/// As browsers on Linux have it; what else was on Ctrl is on workspaces now.
QString tabKeys(int number) {
  const QString keys = QStringLiteral("Alt+%1").arg(number);
  return number == 5 ? keys + QStringLiteral("; Ctrl+5") : keys;
}

}  // namespace

ImageTabs::ImageTabs(Document* document, ModelWorker* inference, const CompareSideOffers& offers,
                     QWidget* parent)
    : QTabWidget(parent),
      m_compare(new CompareView(document, inference, offers, this)),
      m_explanations(new ExplanationView(document, inference, this)) {
  setObjectName(QStringLiteral("tabs"));
  setAccessibleName(tr("Images"));
  setDocumentMode(true);
  addPage(new Canvas(document, this), "canvas", "image", tr("Canvas"),
          tr("The image with the map of one head"));
  addPage(new HeadsGrid(document, this), "heads", "heads", tr("Heads"),
          tr("Every layer and head at once"));
  addPage(new RolloutView(document, this), "rollout", "rollout", tr("Rollout"),
          tr("Attention through all layers"));
  addPage(m_compare, "compare", "compare", tr("Compare"),
          tr("Compare two models, mask schemes or images; similarity of layers"));
  addPage(m_explanations, "explain", "search", tr("Explain"),
          tr("Attributions for a class, feature similarity and PCA, the logit lens"));
  connect(m_explanations, &ExplanationView::chosen, this, &ImageTabs::showExplanation);
  connect(m_compare->sides(), &CompareSides::wanted, this, [this] {
    m_compare->setPage(CompareView::Page::Sides);
    showPage(QStringLiteral("compare"));
  });
  auto* choices = new QActionGroup(this);
  for (QAction* command : m_commands)
    choices->addAction(command);
  connect(this, &QTabWidget::currentChanged, this, &ImageTabs::markShown);
  markShown();
}

/// The options apply to both compared sides.
void ImageTabs::showExplanation() {
  const bool sides = currentWidget() == m_compare && m_compare->page() == CompareView::Page::Sides;
  if (sides) return m_compare->sides()->showOtherExplanation();
  showPage(QStringLiteral("explain"));
}

void ImageTabs::addPage(QWidget* page, const QString& name, const QString& icon,
                        const QString& title, const QString& tip) {
  const int index = addTab(page, lineIcon(icon), title);
  setTabToolTip(index, tip);
  page->setProperty(kPageName, name);
  auto* command = makeCommand(
      this,
      {QStringLiteral("view.tab.") + name, tr("Show %1").arg(title), tip, tabKeys(index + 1), {}},
      [this, name] { showPage(name); });
  command->setCheckable(true);
  m_commands << command;
}

void ImageTabs::markShown() {
  m_commands[currentIndex()]->setChecked(true);
}

void ImageTabs::showPage(const QString& name) {
  // Its name in sessions and start options of before.
  const QString present = name == QLatin1String("ways") ? QStringLiteral("explain") : name;
  for (int i = 0; i < count(); ++i)
    if (widget(i)->property(kPageName).toString() == present) setCurrentIndex(i);
}

QString ImageTabs::page() const {
  return currentWidget()->property(kPageName).toString();
}

QWidget* ImageTabs::keyTarget() const {
  QWidget* target = image() ? image() : currentWidget();
  while (target->focusProxy())
    target = target->focusProxy();
  return target;
}

void ImageTabs::focusPage() {
  keyTarget()->setFocus(Qt::OtherFocusReason);
}

QRect ImageTabs::contentArea() const {
  const QWidget* content = image();
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

ImageView* ImageTabs::image() const {
  if (auto* image = qobject_cast<ImageView*>(currentWidget())) return image;
  for (ImageView* image : currentWidget()->findChildren<ImageView*>())
    if (image->isVisible()) return image;
  return nullptr;
}

}  // namespace headlight
