// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/CompareSides.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/base/Actions.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/CompareLoader.h"
#include "ui/bridge/ExplanationBridge.h"
#include "ui/compare/ComparedExplanation.h"
#include "ui/compare/ComparedImage.h"
#include "ui/compare/LinkedViews.h"
#include "ui/evaluation/PredictionPanel.h"
#include "ui/widgets/StackedWidgets.h"

namespace headlight {
namespace {

constexpr int kLeastColumn = 160;  ///< three columns fit a small screen
constexpr int kLeastShownWidth = 90;

}  // namespace

CompareSides::CompareSides(Document* document, ModelWorker* inference,
                           const CompareSideOffers& offers, QWidget* parent)
    : QWidget(parent), m_window(document) {
  setObjectName("sideBySide");
  setAccessibleName(tr("Compare two models, mask schemes or images"));
  m_links = new LinkedViews(document, &m_left.document, &m_right.document, this);
  build(m_left, m_right, QStringLiteral("left"), offers, inference);
  build(m_right, m_left, QStringLiteral("right"), offers, inference);
  m_difference = new DifferenceImage(&m_left.document, &m_right.document, this);
  m_difference->setObjectName("compareDifference");
  mirror(m_left.image, {m_right.image, m_difference});
  mirror(m_right.image, {m_left.image, m_difference});
  mirror(m_left.method->heatmap(), {m_right.method->heatmap(), m_difference});
  mirror(m_right.method->heatmap(), {m_left.method->heatmap(), m_difference});
  joinScales();
  connect(m_links, &LinkedViews::placeChanged, this, [this] {
    m_comparison.place = m_links->place();
    Q_EMIT changed();
  });
  connect(&document->view(), &ViewState::changed, this, &CompareSides::showExplanation);
  layOut();
  makeCommands();
  setComparison({});
}

CompareSides::~CompareSides() {
  // Deleted before the documents that they read.
  const auto children = findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
  qDeleteAll(children);
  delete m_links;
  delete m_left.bridge;
  delete m_right.bridge;
}

void CompareSides::build(Side& side, const Side& other, const QString& name,
                         const CompareSideOffers& offers, ModelWorker* inference) {
  side.bridge = new CompareLoader(m_window, inference, &side.document, this);
  side.chooser = new SideChooser(name, m_window, side.bridge, offers, this);
  side.image = new ComparedImage(&side.document, &other.document, side.bridge, this);
  side.image->setObjectName(QStringLiteral("compare.%1.image").arg(name));
  side.image->setAccessibleName(tr("The %1 image").arg(name));
  side.method = new ComparedExplanation(&side.document, side.bridge, this);
  side.method->heatmap()->setObjectName(QStringLiteral("compare.%1.way").arg(name));
  side.method->heatmap()->setAccessibleName(tr("The explanation of the %1 image").arg(name));
  side.pages = new QStackedWidget(this);
  side.pages->addWidget(side.image);
  side.pages->addWidget(side.method);
  const std::size_t index = &side == &m_left ? 0 : 1;
  connect(side.chooser, &SideChooser::chosen, this,
          [this, index](const CompareSide& chosen) { choose(index, chosen); });
}

void CompareSides::layOut() {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(2);
  for (Side* side : {&m_left, &m_right}) {
    auto* prediction = new PredictionPanel(&side->document, this);
    prediction->setObjectName(side->chooser->objectName() + QStringLiteral(".prediction"));
    prediction->setMinimumWidth(kLeastColumn);
    row->addWidget(stacked({side->chooser, side->pages, prediction}, side->pages, this), 1);
  }
  auto* change = new PredictionPanel(&m_right.document, this, &m_left.document);
  change->setObjectName(QStringLiteral("compare.change"));
  change->setMinimumWidth(kLeastColumn);
  auto* title = new QLabel(tr("right − left"), this);
  title->setAlignment(Qt::AlignCenter);
  title->setFixedHeight(m_left.chooser->sizeHint().height());  // the three images are level
  m_differenceColumn = stacked({title, m_difference, change}, m_difference, this);
  row->addWidget(m_differenceColumn, 1);
}

/// While the sides are linked, the patch under the pointer is marked on the other side too.
void CompareSides::mirror(ImageView* from, const QList<ImageView*>& to) {
  for (ImageView* view : to)
    connect(from, &ImageView::pointed, view, [this, from, view](int patch) {
      if (!m_comparison.linked || patch < 0) return view->showPointed(-1);
      const Grid here = from->shownGrid(), there = view->shownGrid();
      view->showPointed(correspondingToken(here.prefix + patch, here, there) - there.prefix);
    });
}

/// A new result on one side changes the other side's scale and the difference.
void CompareSides::joinScales() {
  m_left.method->setOther(m_right.method);
  m_right.method->setOther(m_left.method);
  for (const Side* side : {&m_left, &m_right})
    connect(side->method->explanations(), &ExplanationBridge::changed, m_difference, [this] {
      m_left.method->heatmap()->refresh();
      m_right.method->heatmap()->refresh();
      m_difference->refresh();
    });
}

void CompareSides::makeCommands() {
  m_swap = makeCommand(
      this,
      {"view.compare.swap",
       tr("Swap the sides"),
       tr("Exchange the left and the right side"),
       "Ctrl+Alt+X",
       {}},
      [this] { change([](Comparison& now) { std::swap(now.sides[0], now.sides[1]); }); });
  m_link = makeCommand(this,
                       {"view.compare.link",
                        tr("Link the sides"),
                        tr("Use one layer, head and token for both sides; unlinked, the left side "
                           "has its own, set by its keys and clicks"),
                        "Ctrl+Alt+K",
                        {}},
                       [this] { change([](Comparison& now) { now.linked = !now.linked; }); });
  m_show =
      makeCommand(this,
                  {"view.compare.difference",
                   tr("Show the difference"),
                   tr("Show the right map minus the left one, and the change of the prediction"),
                   "Ctrl+Alt+B",
                   {}},
                  [this] { change([](Comparison& now) { now.difference = !now.difference; }); });
  m_other = makeCommand(
      this,
      {"view.compare.way",
       tr("Compare explanations"),
       tr("Show class relevance, Grad-CAM or another explanation on both sides; press again for "
          "attention"),
       "Ctrl+W, C",
       {}},
      [this] {
        const bool seen = isVisible();
        change([seen](Comparison& now) { now.otherExplanation = !seen || !now.otherExplanation; });
        if (!seen) Q_EMIT wanted();
      });
  for (QAction* command : {m_link, m_show, m_other})
    command->setCheckable(true);
  m_commands = {m_swap, m_link, m_show, m_other};
}

QWidget* CompareSides::makeSwitches(QWidget* parent) {
  m_switches = new QWidget(parent);
  auto* row = new QHBoxLayout(m_switches);
  row->setContentsMargins(0, 0, 4, 0);
  const QStringList words{tr("Swap"), tr("Linked"), tr("Difference")};
  for (int i = 0; i < words.size(); ++i) {
    auto* button = new QToolButton(m_switches);
    button->setObjectName(m_commands[i]->objectName() + QStringLiteral(".button"));
    button->setDefaultAction(m_commands[i]);
    m_commands[i]->setIconText(words[i]);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    row->addWidget(button);
  }
  row->insertWidget(0, makeShown(m_switches));
  showExplanation();
  m_switches->setVisible(isVisibleTo(parent));
  return m_switches;
}

QWidget* CompareSides::makeShown(QWidget* parent) {
  m_shown = new QComboBox(parent);
  m_shown->setObjectName(QStringLiteral("compare.shown"));
  m_shown->setAccessibleName(tr("Map compared"));
  m_shown->setToolTip(
      plainToolTip(tr("Attention or an explanation; the page Explain sets its class and layer")));
  m_shown->setMinimumWidth(kLeastShownWidth);  // or the longest title would widen the window
  m_shown->addItem(tr("Attention"), QString());
  for (const ExplanationInfo& method : explanationMethods())
    m_shown->addItem(coreText(method.title), QString::fromStdString(method.name));
  connect(m_shown, &QComboBox::activated, this,
          [this](int index) { chooseExplanation(m_shown->itemData(index).toString()); });
  return m_shown;
}

/// An explanation method by name; empty: attention.
void CompareSides::chooseExplanation(const QString& method) {
  if (!method.isEmpty())
    m_window->view().change([&](ViewOptions& view) { view.method.name = method.toStdString(); });
  change([&](Comparison& now) { now.otherExplanation = !method.isEmpty(); });
}

void CompareSides::showOtherExplanation() {
  change([](Comparison& now) { now.otherExplanation = true; });
}

void CompareSides::showExplanation() {
  const bool other = m_comparison.otherExplanation;
  for (const Side* side : {&m_left, &m_right})
    side->pages->setCurrentWidget(other ? static_cast<QWidget*>(side->method) : side->image);
  m_difference->setHeatmaps(other ? m_left.method->heatmap() : nullptr,
                            other ? m_right.method->heatmap() : nullptr);
  const QString name =
      other ? QString::fromStdString(m_window->view().options().method.name) : QString();
  if (m_shown) m_shown->setCurrentIndex(m_shown->findData(name));
}

void CompareSides::choose(std::size_t index, const CompareSide& side) {
  change([&](Comparison& now) { now.sides[index] = side; });
}

void CompareSides::change(const std::function<void(Comparison&)>& change) {
  Comparison next = m_comparison;
  change(next);
  setComparison(next);
}

void CompareSides::showComparison(const Comparison& comparison) {
  setComparison(comparison);
  Q_EMIT wanted();
}

void CompareSides::setComparison(const Comparison& comparison) {
  const bool isNew = !(comparison == m_comparison);
  m_comparison = comparison;
  m_left.bridge->setSide(comparison.sides[0]);
  m_right.bridge->setSide(comparison.sides[1]);
  m_left.chooser->readSide();
  m_right.chooser->readSide();
  m_links->setLinked(comparison.linked);
  if (comparison.place) m_links->setPlace(*comparison.place);
  m_link->setChecked(comparison.linked);
  m_show->setChecked(comparison.difference);
  m_other->setChecked(comparison.otherExplanation);
  m_differenceColumn->setVisible(comparison.difference);
  showExplanation();
  if (isNew) Q_EMIT changed();
}

bool CompareSides::isBusy() const {
  return isVisible() &&
         (m_left.bridge->isBusy() || m_right.bridge->isBusy() ||
          m_left.method->explanations()->isBusy() || m_right.method->explanations()->isBusy());
}

void CompareSides::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (m_switches) m_switches->show();
  m_left.bridge->setShown(true);
  m_right.bridge->setShown(true);
}

void CompareSides::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  if (m_switches) m_switches->hide();
  m_left.bridge->setShown(false);
  m_right.bridge->setShown(false);
}

}  // namespace headlight
