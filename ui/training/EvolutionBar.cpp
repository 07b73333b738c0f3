#include "ui/training/EvolutionBar.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>

#include <algorithm>

#include "ui/base/Actions.h"

namespace headlight {

EvolutionBar::EvolutionBar(const HeadHistory* history, QWidget* parent)
    : QWidget(parent),
      m_history(history),
      m_slider(new QSlider(Qt::Horizontal, this)),
      m_label(new QLabel(this)) {
  makeCommands();
  m_slider->setObjectName(QStringLiteral("evolutionSlider"));
  m_slider->setAccessibleName(tr("Evolution: the training step whose ALS and α are shown"));
  m_slider->setMinimumWidth(80);
  m_slider->setPageStep(10);
  connect(m_slider, &QSlider::valueChanged, this, &EvolutionBar::onValue);
  m_label->setObjectName(QStringLiteral("evolutionLabel"));
  m_label->setMinimumWidth(
      fontMetrics().horizontalAdvance(tr("step %1 of %2").arg(9999).arg(9999)));
  auto* title = new QLabel(tr("E&volution"), this);
  title->setBuddy(m_slider);
  auto* live = new QToolButton(this);
  live->setObjectName(QStringLiteral("evolutionLive"));
  live->setDefaultAction(m_live);
  live->setAutoRaise(true);
  live->setFocusPolicy(Qt::StrongFocus);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(4, 0, 0, 0);
  layout->addWidget(title);
  layout->addWidget(m_slider, 1);
  layout->addWidget(m_label);
  layout->addWidget(live);
  historyChanged();
}

void EvolutionBar::makeCommands() {
  m_earlier = makeCommand(this,
                          {"train.evolutionEarlier",
                           tr("Evolution: earlier"),
                           tr("ALS and α as the run recorded them one measurement before"),
                           "Ctrl+H, Left",
                           {}},
                          [this] { move(-1); });
  m_later = makeCommand(this,
                        {"train.evolutionLater",
                         tr("Evolution: later"),
                         tr("ALS and α as the run recorded them one measurement after"),
                         "Ctrl+H, Right",
                         {}},
                        [this] { move(1); });
  m_live = makeCommand(this,
                       {"train.evolutionLive",
                        tr("Evolution: live"),
                        tr("Follow the run again; bars and α of the mask matrix are those of the "
                           "model that is open"),
                        "Ctrl+H, End",
                        {}},
                       [this] { goLive(); });
  m_live->setIconText(tr("Live"));
  for (QAction* action : commands())
    action->setStatusTip(action->toolTip());
}

void EvolutionBar::historyChanged() {
  if (m_shown && m_history->isEmpty()) {  // a new run
    m_shown.reset();
    Q_EMIT shownChanged();
  }
  {
    // Measurements are thinned as they come: the place of the one that is shown may be another.
    const QSignalBlocker blocker(m_slider);
    m_slider->setRange(0, liveValue());
    m_slider->setValue(m_shown ? static_cast<int>(m_history->nearest(m_shown->step)) : liveValue());
  }
  refresh();
}

void EvolutionBar::onValue(int value) {
  const auto& points = m_history->points();
  const auto index = static_cast<std::size_t>(value);
  m_shown = index < points.size() ? points[index] : nullptr;
  refresh();
  Q_EMIT shownChanged();
}

void EvolutionBar::goLive() {
  m_slider->setValue(liveValue());
}

void EvolutionBar::move(int measurements) {
  m_slider->setValue(m_slider->value() + measurements);
}

void EvolutionBar::refresh() {
  const bool any = !m_history->isEmpty();
  QString text = tr("live");
  if (m_shown)
    text = tr("step %1 of %2").arg(m_shown->step).arg(m_history->newest().step);
  else if (any)
    text = tr("live · step %1").arg(m_history->newest().step);
  m_label->setText(text);
  m_slider->setEnabled(any);
  m_slider->setAccessibleDescription(text);
  m_slider->setToolTip(
      any ? tr("Go back to an earlier step of this run: the plots, and the bars and α of the mask "
               "matrix, show what was recorded then; the right end is live.\n"
               "Only these numbers are kept of every step, not the weights, so the picture stays "
               "that of the model that is open.\nArrows, Page Up and Down, Home; End is live.")
          : tr("Once a training run has measured its heads, this goes through what it recorded."));
  m_earlier->setEnabled(m_slider->value() > 0);
  m_later->setEnabled(m_shown != nullptr);
  m_live->setEnabled(m_shown != nullptr);
}

}  // namespace headlight
