// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/EvolutionBar.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>

#include <algorithm>

#include "ui/base/Actions.h"
#include "ui/base/Icons.h"
#include "ui/bridge/EvolutionBridge.h"

namespace headlight {
namespace {

constexpr int kPlayMs = 200;

}  // namespace

EvolutionBar::EvolutionBar(const HeadHistory* history, QWidget* parent)
    : QWidget(parent),
      m_history(history),
      m_slider(new QSlider(Qt::Horizontal, this)),
      m_label(new QLabel(this)),
      m_picture(new QComboBox(this)) {
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
  m_picture->setObjectName(QStringLiteral("evolutionPicture"));
  m_picture->setAccessibleName(tr("Evolution: which of the recorded pictures is shown"));
  m_picture->setToolTip(tr("Of these pictures the run recorded its maps"));
  m_picture->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_picture->setMinimumContentsLength(10);
  m_picture->hide();
  m_playing.setInterval(kPlayMs);
  connect(&m_playing, &QTimer::timeout, this, &EvolutionBar::playOn);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(4, 0, 0, 0);
  layout->addWidget(title);
  addButton(layout, "evolutionPlay", m_play);
  addButton(layout, "evolutionLoop", m_loop);
  layout->addWidget(m_slider, 1);
  layout->addWidget(m_label);
  layout->addWidget(m_picture);
  addButton(layout, "evolutionLive", m_live);
  historyChanged();
}

void EvolutionBar::addButton(QHBoxLayout* row, const char* name, QAction* action) {
  auto* button = new QToolButton(this);
  button->setObjectName(QString::fromLatin1(name));
  button->setDefaultAction(action);
  button->setAutoRaise(true);
  button->setFocusPolicy(Qt::StrongFocus);
  row->addWidget(button);
}

void EvolutionBar::setPictures(EvolutionBridge* pictures) {
  m_pictures = pictures;
  connect(pictures, &EvolutionBridge::changed, this, &EvolutionBar::refreshPictures);
  connect(m_picture, &QComboBox::activated, pictures, &EvolutionBridge::choosePicture);
}

QList<QAction*> EvolutionBar::commands() const {
  return {m_earlier, m_later, m_live, m_play, m_loop, m_next};
}

void EvolutionBar::makeCommands() {
  m_earlier = makeCommand(this,
                          {"train.evolutionEarlier",
                           tr("Evolution: earlier"),
                           tr("What the run recorded one measurement before: maps, ALS, α, masks"),
                           "Ctrl+H, Left",
                           {}},
                          [this] { move(-1); });
  m_later = makeCommand(this,
                        {"train.evolutionLater",
                         tr("Evolution: later"),
                         tr("What the run recorded one measurement after: maps, ALS, α, masks"),
                         "Ctrl+H, Right",
                         {}},
                        [this] { move(1); });
  m_live = makeCommand(this,
                       {"train.evolutionLive",
                        tr("Evolution: live"),
                        tr("Follow the run again; pictures and numbers are those of the model that "
                           "is open"),
                        "Ctrl+H, End",
                        {}},
                       [this] { goLive(); });
  m_live->setIconText(tr("Live"));
  m_play =
      makeCommand(this, {"train.evolutionPlay", tr("Evolution: play"),
                         tr("Go through what the run recorded, step by step, up to the present"),
                         "Ctrl+H, P", "play"});
  m_play->setCheckable(true);
  m_play->setIconText(tr("Play"));
  connect(m_play, &QAction::toggled, this, &EvolutionBar::play);
  m_loop = makeCommand(this, {"train.evolutionLoop", tr("Evolution: loop"),
                              tr("Begin again at the first step when playing reaches the last"),
                              "Ctrl+H, L", "loop"});
  m_loop->setCheckable(true);
  m_loop->setIconText(tr("Loop"));
  m_next =
      makeCommand(this,
                  {"train.evolutionPicture",
                   tr("Evolution: next picture"),
                   tr("Another of the pictures whose maps the run recorded"),
                   "Ctrl+H, N",
                   {}},
                  [this] {
                    if (m_pictures && !m_pictures->pictures().isEmpty())
                      m_pictures->choosePicture((m_pictures->picture() + 1) %
                                                static_cast<int>(m_pictures->pictures().size()));
                  });
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

void EvolutionBar::play(bool on) {
  m_play->setIcon(lineIcon(on ? QStringLiteral("pause") : QStringLiteral("play")));
  if (!on) return m_playing.stop();
  // From the present, or the last step, there is nothing to go on to.
  if (m_slider->value() + 1 >= liveValue()) m_slider->setValue(0);
  m_playing.start();
}

/// One measurement on, unless the picture of the present one is still being read.
void EvolutionBar::playOn() {
  if (m_pictures && m_pictures->isBusy()) return;
  if (m_slider->value() + 1 < liveValue()) return move(1);
  if (m_loop->isChecked()) return m_slider->setValue(0);
  m_play->setChecked(false);
}

void EvolutionBar::refreshPictures() {
  const QStringList& names = m_pictures->pictures();
  const QSignalBlocker blocker(m_picture);
  if (m_picture->count() != names.size() || m_picture->itemText(0) != names.value(0)) {
    m_picture->clear();
    m_picture->addItems(names);
  }
  m_picture->setCurrentIndex(m_pictures->picture());
  m_picture->setVisible(m_shown && names.size() > 1);
  m_next->setEnabled(m_shown && names.size() > 1);
  m_slider->setToolTip(sliderTip());
}

void EvolutionBar::goLive() {
  m_play->setChecked(false);
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
  m_slider->setToolTip(sliderTip());
  m_picture->setVisible(m_shown && m_picture->count() > 1);
  m_next->setEnabled(m_shown && m_picture->count() > 1);
  m_play->setEnabled(any);
  m_earlier->setEnabled(m_slider->value() > 0);
  m_later->setEnabled(m_shown != nullptr);
  m_live->setEnabled(m_shown != nullptr);
}

QString EvolutionBar::sliderTip() const {
  if (m_history->isEmpty())
    return tr("Once a training run has measured its heads, this goes through what it recorded.");
  QString tip =
      tr("Go back to an earlier step of this run: pictures and heads, rollout, prediction, the "
         "matrix and the plots show what was recorded then; the right end is live.\n"
         "Maps and numbers of a few pictures are kept, not the weights.\n"
         "Arrows, Page Up and Down, Home; End is live.");
  if (m_shown && m_pictures && !m_pictures->problem().isEmpty())
    tip += tr("\nNo picture of this step: %1").arg(m_pictures->problem());
  return tip;
}

}  // namespace headlight
