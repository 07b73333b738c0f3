// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/VideoPlayer.h"

#include <QFileInfo>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/workbench/loading/MapFile.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"

namespace headlight {
namespace {

constexpr qint64 kRateMs = 2000;  ///< over which results in a second are counted
constexpr const char* kFrameWords = ", frame ";

}  // namespace

struct VideoPlayer::Reading {
  std::unique_ptr<VideoReader> reader;
};

VideoPlayer::VideoPlayer(Document* document, ModelWorker* inference, QObject* parent)
    : QObject(parent),
      m_document(document),
      m_inference(inference),
      m_reading(std::make_shared<Reading>()) {
  setObjectName(QStringLiteral("videoPlayer"));
  m_wait.setSingleShot(true);
  m_wait.setTimerType(Qt::PreciseTimer);
  connect(&m_wait, &QTimer::timeout, this, &VideoPlayer::playOn);
  // Opening another image shows that one.
  connect(&document->inputs(), &InferenceInputs::imageChanged, this, [this] {
    if (m_showing) return;
    ++m_frames;  // what is on its way is not wanted any more
    m_busy = m_again = false;
    pause();
  });
}

VideoPlayer::~VideoPlayer() {
  m_stop.request_stop();
}

void VideoPlayer::open(const QString& file) {
  const QString whole = QFileInfo(file).absoluteFilePath();
  openBy(displayName(QFileInfo(file).fileName()), whole,
         [path = std::filesystem::path(whole.toStdString())] { return VideoReader::open(path); });
}

void VideoPlayer::openCamera(int number) {
  openBy(tr("Camera %1").arg(number), {}, [number] { return VideoReader::openCamera(number); });
}

void VideoPlayer::openBy(const QString& name, const QString& file, std::function<Opened()> opener) {
  pause();
  m_stop.request_stop();
  m_stop = std::stop_source();
  const int ticket = ++m_ticket;
  ++m_frames;
  m_busy = m_again = false;
  m_worker.post([this, name, file, ticket, opener, reading = m_reading](std::stop_token) {
    auto opened = opener();
    const VideoInfo info = opened ? (*opened)->info() : VideoInfo();
    const Result<void> done = opened ? Result<void>() : Result<void>(opened.error());
    if (opened) reading->reader = std::move(*opened);
    callInThread(this, [this, name, file, ticket, done, info] {
      if (ticket != m_ticket) return;
      m_busy = false;
      if (done) return begin(info, file);
      Q_EMIT failed(tr("%1 was not opened").arg(name), QString::fromStdString(done.error().text()));
      Q_EMIT changed();
    });
  });
}

void VideoPlayer::begin(const VideoInfo& info, const QString& file) {
  m_info = info;
  m_file = file;
  m_open = true;
  m_frame = -1;
  Q_EMIT opened();
  show(0);
  if (info.isCamera) play();
}

void VideoPlayer::close() {
  pause();
  ++m_ticket;
  ++m_frames;
  m_stop.request_stop();
  m_open = m_busy = m_again = false;
  m_frame = -1;
  m_worker.post([reading = m_reading](std::stop_token) { reading->reader.reset(); });
  Q_EMIT changed();
}

bool VideoPlayer::areFramesOfOne(const QString& name, const QString& other) {
  const auto end = name.lastIndexOf(QLatin1String(kFrameWords));
  return end > 0 && end == other.lastIndexOf(QLatin1String(kFrameWords)) &&
         name.left(end) == other.left(end);
}

QString VideoPlayer::address() const {
  if (!m_open || m_file.isEmpty() || m_frame < 0) return {};
  return QString::fromStdString(MapPlace{m_file.toStdString(), static_cast<int>(m_frame)}.text());
}

void VideoPlayer::show(std::int64_t frame) {
  if (!m_open) return;
  m_wanted = std::max<std::int64_t>(frame, 0);
  if (m_info.frames > 0) m_wanted = std::min(m_wanted, m_info.frames - 1);
  m_wait.stop();
  m_clock.invalidate();  // begins when it is shown
  start();
}

void VideoPlayer::step(int frames) {
  pause();
  show((m_busy ? m_wanted : m_frame) + frames);
}

void VideoPlayer::play() {
  if (!m_open || m_playing) return;
  m_playing = true;
  restartClock();
  const bool ended = m_info.frames > 0 && m_frame >= m_info.frames - 1 && !m_info.isCamera;
  if (ended)
    show(0);
  else
    playOn();
  Q_EMIT changed();
}

void VideoPlayer::pause() {
  m_wait.stop();
  m_shownAt.clear();
  if (std::exchange(m_playing, false)) Q_EMIT changed();
}

void VideoPlayer::setPace(Pace pace) {
  m_pace = pace;
  restartClock();
  Q_EMIT changed();
}

void VideoPlayer::setSpeed(double times) {
  m_speed = times;
  restartClock();
  Q_EMIT changed();
}

void VideoPlayer::restartClock() {
  m_clock.start();
  m_clockFrame = m_frame;
  m_shownAt.clear();
}

double VideoPlayer::framesPerSecond() const {
  if (!m_playing || m_shownAt.size() < 2) return 0;
  const auto span = static_cast<double>(m_shownAt.back() - m_shownAt.front());
  return span > 0 ? 1000 * static_cast<double>(m_shownAt.size() - 1) / span : 0;
}

/// The frame that the clock has come to.
std::int64_t VideoPlayer::due() const {
  const double passed = static_cast<double>(m_clock.elapsed()) / 1000 * m_info.rate * m_speed;
  return m_clockFrame + static_cast<std::int64_t>(std::floor(passed));
}

/// The next frame, when its time has come.
void VideoPlayer::playOn() {
  if (!m_playing || m_busy) return;
  if (m_info.isCamera) {
    m_wanted = m_frame + 1;
    return start();
  }
  const std::int64_t now = due();
  if (now <= m_frame) {
    const double at = static_cast<double>(m_frame + 1 - m_clockFrame) / (m_info.rate * m_speed);
    const double wait = 1000 * at - static_cast<double>(m_clock.elapsed());
    return m_wait.start(static_cast<int>(std::clamp(std::ceil(wait), 1.0, 60'000.0)));
  }
  m_wanted = m_pace == Pace::Every ? m_frame + 1 : now;
  if (m_info.frames > 0 && m_wanted >= m_info.frames) {
    if (m_frame >= m_info.frames - 1) return atEnd();
    m_wanted = m_info.frames - 1;
  }
  start();
}

void VideoPlayer::atEnd() {
  pause();
  Q_EMIT changed();
}

void VideoPlayer::start() {
  if (m_busy) {
    m_again = true;
    return;
  }
  m_busy = true;
  m_again = false;
  m_worker.post([this, reading = m_reading, ticket = m_frames, wanted = m_wanted,
                 stop = m_stop.get_token()](std::stop_token) {
    if (!reading->reader) return;
    const auto frame = std::make_shared<const Result<std::optional<VideoFrame>>>(
        reading->reader->at(wanted, stop));
    const std::int64_t frames = reading->reader->info().frames;
    callInThread(this, [this, ticket, frame, frames] { arrived(ticket, *frame, frames); });
  });
}

void VideoPlayer::arrived(int ticket, const Result<std::optional<VideoFrame>>& frame,
                          std::int64_t frames) {
  if (ticket != m_frames) return;
  m_info.frames = frames;
  if (frame && *frame) {
    const QString name = QString::fromStdString(m_info.name) + QLatin1String(kFrameWords) +
                         QString::number((*frame)->index);
    const QString path =
        m_file.isEmpty()
            ? QString()
            : QString::fromStdString(
                  MapPlace{m_file.toStdString(), static_cast<int>((*frame)->index)}.text());
    return m_inference->showFrame(
        (*frame)->image, name, path, [this](bool on) { m_showing = on; },
        [this, ticket, frame = **frame](bool done) { shown(ticket, frame, done); });
  }
  m_busy = false;
  pause();
  if (!frame)
    Q_EMIT failed(
        tr("%1 cannot be read any further").arg(displayName(QString::fromStdString(m_info.name))),
        QString::fromStdString(frame.error().text()));
  else if (m_info.isCamera)
    Q_EMIT failed(tr("The camera sends no more images"), tr("Open it again."));
  else if (m_frame < 0 || m_again)  // the file claimed more than there is
    show(std::max<std::int64_t>(frames - 1, 0));
  Q_EMIT changed();
}

/// Not `done`: something else was to be looked at meanwhile, such as an edit of masks; the frame is
/// still wanted.
void VideoPlayer::shown(int ticket, const VideoFrame& frame, bool done) {
  if (ticket != m_frames) return;
  m_busy = false;
  if (!done) return start();
  m_frame = frame.index;
  if (m_playing && !m_clock.isValid()) restartClock();
  if (m_playing) {
    m_shownAt.push_back(m_clock.elapsed());
    while (m_shownAt.back() - m_shownAt.front() > kRateMs)
      m_shownAt.pop_front();
  }
  Q_EMIT changed();
  if (m_again)
    start();
  else
    playOn();
}

}  // namespace headlight
