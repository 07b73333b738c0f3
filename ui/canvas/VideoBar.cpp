// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/VideoBar.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>

#include <algorithm>

#include "ui/bridge/VideoPlayer.h"

namespace headlight {
namespace {

/// How fast a video is played; speed 0: every frame, at the video's own speed at most.
constexpr double kSpeeds[] = {1, 0.5, 0.25, 2, 0};
constexpr int kLongestSlider = 1'000'000'000;

QString secondsText(double seconds) {
  return QObject::tr("%1 s").arg(seconds, 0, 'f', seconds < 100 ? 2 : 1);
}

}  // namespace

VideoBar::VideoBar(VideoPlayer* player, const Buttons& buttons, QWidget* parent)
    : QToolBar(parent),
      m_player(player),
      m_slider(new QSlider(Qt::Horizontal, this)),
      m_label(new QLabel(this)),
      m_pace(new QComboBox(this)) {
  setObjectName(QStringLiteral("videoBar"));
  setWindowTitle(tr("Video"));
  setAccessibleName(tr("The video"));
  setMovable(false);
  setFloatable(false);
  setContextMenuPolicy(Qt::PreventContextMenu);
  toggleViewAction()->setVisible(false);  // it comes and goes with the video
  addActions(buttons.before);
  m_slider->setObjectName(QStringLiteral("videoSlider"));
  m_slider->setAccessibleName(tr("Frame of the video"));
  m_slider->setToolTip(tr("The current frame; drag to go to another"));
  m_slider->setMinimumWidth(120);
  m_slider->setPageStep(10);
  connect(m_slider, &QSlider::valueChanged, this, [this](int frame) { m_player->show(frame); });
  addWidget(m_slider);
  m_label->setObjectName(QStringLiteral("videoLabel"));
  m_label->setContentsMargins(8, 0, 8, 0);
  m_label->setMinimumWidth(fontMetrics().horizontalAdvance(
      tr("frame %1 of %2 · %3 · %4 frames/s processed").arg(999).arg(999).arg("99.99 s", "99.9")));
  addWidget(m_label);
  m_pace->setObjectName(QStringLiteral("videoPace"));
  m_pace->setAccessibleName(tr("Playback speed"));
  m_pace->addItems(
      {tr("live"), tr("half speed"), tr("quarter speed"), tr("double speed"), tr("every frame")});
  m_pace->setToolTip(
      tr("Live keeps the speed of the video and skips frames where the model is slower. Every "
         "frame shows all of them, at most at the speed of the video"));
  connect(m_pace, &QComboBox::activated, this, &VideoBar::choosePace);
  addWidget(m_pace);
  addActions(buttons.behind);
  for (auto* button : findChildren<QToolButton*>())
    button->setFocusPolicy(Qt::StrongFocus);
  connect(player, &VideoPlayer::changed, this, &VideoBar::refresh);
  connect(player, &VideoPlayer::opened, this, &VideoBar::refresh);
  refresh();
}

void VideoBar::choosePace(int index) {
  const double speed = kSpeeds[index];
  m_player->setPace(speed > 0 ? VideoPlayer::Pace::Live : VideoPlayer::Pace::Every);
  m_player->setSpeed(speed > 0 ? speed : 1);
}

QString VideoBar::text() const {
  return m_label->text();
}

void VideoBar::showWhereNeeded() {
  setVisible(m_player->isOpen());
}

void VideoBar::refresh() {
  showWhereNeeded();
  if (!m_player->isOpen()) return;
  const VideoInfo& info = m_player->info();
  const auto frame = std::max<std::int64_t>(m_player->frame(), 0);
  {
    const QSignalBlocker blocker(m_slider);
    const auto last = std::min<std::int64_t>(info.frames - 1, kLongestSlider);
    m_slider->setRange(0, static_cast<int>(std::max(last, frame)));
    if (!m_slider->isSliderDown()) m_slider->setValue(static_cast<int>(frame));
    m_slider->setEnabled(!info.isCamera);
  }
  m_pace->setEnabled(!info.isCamera);
  const bool every = m_player->pace() == VideoPlayer::Pace::Every;
  for (int i = 0; i < m_pace->count(); ++i)
    if (every ? kSpeeds[i] == 0 : kSpeeds[i] == m_player->speed()) m_pace->setCurrentIndex(i);
  QStringList words;
  words << (info.frames > 0 ? tr("frame %1 of %2").arg(frame).arg(info.frames)
                            : tr("frame %1").arg(frame));
  words << secondsText(static_cast<double>(frame) / info.rate);
  if (const double looked = m_player->framesPerSecond(); looked > 0)
    words << tr("%1 frames/s processed").arg(looked, 0, 'f', 1);
  else if (!info.rateKnown && !info.isCamera)
    words << tr("no rate in the file, %1 assumed").arg(kAssumedFrameRate);
  m_label->setText(words.join(QStringLiteral(" · ")));
}

}  // namespace headlight
