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
      m_image(new QComboBox(this)) {
  makeCommands();
  m_slider->setObjectName(QStringLiteral("evolutionSlider"));
  m_slider->setAccessibleName(tr("Evolution: the training step shown"));
  m_slider->setMinimumWidth(80);
  m_slider->setPageStep(10);
  connect(m_slider, &QSlider::valueChanged, this, &EvolutionBar::onValue);
  m_label->setObjectName(QStringLiteral("evolutionLabel"));
  m_label->setMinimumWidth(
      fontMetrics().horizontalAdvance(tr("step %1 of %2").arg(9999).arg(9999)));
  auto* title = new QLabel(tr("E&volution"), this);
  title->setBuddy(m_slider);
  m_image->setObjectName(QStringLiteral("evolutionImage"));
  m_image->setAccessibleName(tr("Evolution: the recorded image shown"));
  m_image->setToolTip(tr("Images whose maps the run recorded"));
  m_image->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_image->setMinimumContentsLength(10);
  m_image->hide();
  m_playing.setInterval(kPlayMs);
  connect(&m_playing, &QTimer::timeout, this, &EvolutionBar::playOn);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(4, 0, 0, 0);
  layout->addWidget(title);
  addButton(layout, "evolutionPlay", m_play);
  addButton(layout, "evolutionLoop", m_loop);
  addButton(layout, "evolutionScale", m_oneScale);
  layout->addWidget(m_slider, 1);
  layout->addWidget(m_label);
  layout->addWidget(m_image);
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

void EvolutionBar::setImages(EvolutionBridge* images) {
  m_images = images;
  connect(images, &EvolutionBridge::changed, this, &EvolutionBar::refreshImages);
  connect(m_image, &QComboBox::activated, images, &EvolutionBridge::chooseImage);
  connect(m_oneScale, &QAction::triggered, images, &EvolutionBridge::setOneScale);
  refreshImages();
}

QList<QAction*> EvolutionBar::commands() const {
  return {m_earlier, m_later, m_live, m_play, m_loop, m_oneScale, m_next};
}

void EvolutionBar::makeCommands() {
  m_earlier = makeCommand(this,
                          {"train.evolutionEarlier",
                           tr("Evolution: earlier"),
                           tr("Show the previous recorded measurement: maps, ALS, α and masks"),
                           "Ctrl+H, Left",
                           {}},
                          [this] { move(-1); });
  m_later = makeCommand(this,
                        {"train.evolutionLater",
                         tr("Evolution: later"),
                         tr("Show the next recorded measurement: maps, ALS, α and masks"),
                         "Ctrl+H, Right",
                         {}},
                        [this] { move(1); });
  m_live = makeCommand(this,
                       {"train.evolutionLive",
                        tr("Evolution: live"),
                        tr("Follow the run again, with the image and numbers of the open model"),
                        "Ctrl+H, End",
                        {}},
                       [this] { goLive(); });
  m_live->setIconText(tr("Live"));
  m_play = makeCommand(
      this, {"train.evolutionPlay", tr("Evolution: play"),
             tr("Play the recorded measurements in order, up to the newest"), "Ctrl+H, P", "play"});
  m_play->setCheckable(true);
  m_play->setIconText(tr("Play"));
  connect(m_play, &QAction::toggled, this, &EvolutionBar::play);
  m_loop =
      makeCommand(this, {"train.evolutionLoop", tr("Evolution: loop"),
                         tr("Restart at the first step after the last one"), "Ctrl+H, L", "loop"});
  m_loop->setCheckable(true);
  m_loop->setIconText(tr("Loop"));
  m_oneScale = makeCommand(
      this, {"train.evolutionScale", tr("Evolution: one scale"),
             tr("Draw all recorded steps on one scale, so that their brightness can be compared; "
                "off: each step on its own"),
             "Ctrl+H, S", "balance"});
  m_oneScale->setCheckable(true);
  m_oneScale->setChecked(true);
  m_oneScale->setIconText(tr("One scale"));
  m_next = makeCommand(this,
                       {"train.evolutionImage",
                        tr("Evolution: next image"),
                        tr("Show the next image whose maps the run recorded"),
                        "Ctrl+H, N",
                        {}},
                       [this] {
                         if (m_images && !m_images->images().isEmpty())
                           m_images->chooseImage((m_images->image() + 1) %
                                                 static_cast<int>(m_images->images().size()));
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
    // Measurements are thinned as they arrive, so the index of the one shown can change.
    const QSignalBlocker blocker(m_slider);
    m_slider->setRange(0, liveValue());
    m_slider->setValue(m_shown ? static_cast<int>(m_history->nearest(m_shown->step)) : liveValue());
  }
  refresh();
}

void EvolutionBar::setRun(bool goesOn, std::int64_t lastStep) {
  m_goesOn = goesOn;
  m_lastStep = lastStep;
  m_live->setIconText(goesOn ? tr("Live") : tr("Now"));
  refresh();
}

std::int64_t EvolutionBar::lastStep() const {
  return m_history->isEmpty() ? m_lastStep : std::max(m_lastStep, m_history->newest().step);
}

/// Once the run has ended, or is no longer followed, nothing is live.
QString EvolutionBar::liveText() const {
  if (m_history->isEmpty()) return tr("live");
  if (m_goesOn) return tr("live · step %1").arg(m_history->newest().step);
  return tr("now · last step %1").arg(lastStep());
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
  // At the newest step, playing starts again at the first.
  if (m_slider->value() + 1 >= liveValue()) m_slider->setValue(0);
  m_playing.start();
}

/// The next measurement, unless the image of the current one is still being read.
void EvolutionBar::playOn() {
  if (m_images && m_images->isBusy()) return;
  if (m_slider->value() + 1 < liveValue()) return move(1);
  if (m_loop->isChecked()) return m_slider->setValue(0);
  m_play->setChecked(false);
}

void EvolutionBar::refreshImages() {
  const QStringList& names = m_images->images();
  const QSignalBlocker blocker(m_image);
  if (m_image->count() != names.size() || m_image->itemText(0) != names.value(0)) {
    m_image->clear();
    m_image->addItems(names);
  }
  m_image->setCurrentIndex(m_images->image());
  m_oneScale->setChecked(m_images->hasOneScale());
  m_image->setVisible(m_shown && names.size() > 1);
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
  const QString text =
      m_shown ? tr("step %1 of %2").arg(m_shown->step).arg(lastStep()) : liveText();
  m_label->setText(text);
  m_slider->setEnabled(any);
  m_slider->setAccessibleDescription(text);
  m_slider->setToolTip(sliderTip());
  m_image->setVisible(m_shown && m_image->count() > 1);
  m_next->setEnabled(m_shown && m_image->count() > 1);
  m_play->setEnabled(any);
  m_earlier->setEnabled(m_slider->value() > 0);
  m_later->setEnabled(m_shown != nullptr);
  m_live->setEnabled(m_shown != nullptr);
}

QString EvolutionBar::sliderTip() const {
  if (m_history->isEmpty())
    return tr("Available once a training run has recorded its first measurement.");
  QString tip = tr(
      "Show an earlier step of this run: images, heads, rollout, prediction, matrix and plots "
      "then show what the run recorded. The right end is the present model.\nThe run records the "
      "maps and numbers of a few images, not the weights.\nArrow keys, Page Up, Page Down and "
      "Home move the slider; End shows the present model.");
  if (m_shown && m_images && !m_images->problem().isEmpty())
    tip += tr("\nThis step has no image: %1").arg(m_images->problem());
  return tip;
}

}  // namespace headlight
