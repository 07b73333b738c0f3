// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/video/VideoReader.h"

#include <opencv2/core.hpp>
#include <opencv2/videoio.hpp>
#include <opencv2/videoio/registry.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/base/Translation.h"
#include "core/imaging/video/VideoIo.h"
#include "core/imaging/video/VideoKind.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kStepsRatherThanJump = 32;  ///< frames
constexpr double kHighestRate = 1000;

[[noreturn]] void refuseVideo(ErrorCode code, const std::string& message, const fs::path& file) {
  throw Failure({code, message, file.string()});
}

std::string headOf(const fs::path& file) {
  std::string head(kVideoHeadBytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  return head;
}

struct FoundVideo {
  std::string kind, demuxer;
};

/// Before OpenCV sees the file.
FoundVideo requireVideo(const fs::path& file) {
  std::error_code failed;
  const auto status = fs::status(file, failed);
  if (!fs::exists(status)) refuseVideo(ErrorCode::NotFound, tr("does not exist"), file);
  if (!fs::is_regular_file(status))
    refuseVideo(ErrorCode::InvalidArgument, tr("is not a file, so it is not opened as a video"),
                file);
  if (!std::ifstream(file))
    refuseVideo(ErrorCode::Io, tr("cannot be read; check its permissions"), file);
  const std::string head = headOf(file);
  if (const std::string playlist = identifyPlaylist(head); !playlist.empty())
    refuseVideo(ErrorCode::UnsupportedFile,
                "is " + playlist +
                    tr(", which refers to other files or addresses, so it is not opened. Open the "
                       "video file itself"),
                file);
  if (identifyVideo(head).empty())
    refuseVideo(ErrorCode::UnsupportedFile,
                tr("is not a video by its content. Open AVI, MP4 or QuickTime, Matroska or WebM, "
                   "Ogg, MPEG, Flash Video, Windows Media, YUV4MPEG or animated GIF, not a "
                   "playlist or an address"),
                file);
  return {identifyVideo(head), findVideoDemuxer(head)};
}

void requireFrameSize(double width, double height, const std::string& name) {
  if (width >= 1 && height >= 1 && width * height <= static_cast<double>(kMaxImagePixels)) return;
  throw Failure({ErrorCode::UnsupportedFile,
                 width >= 1 && height >= 1
                     ? tr("its frames have more than 64 megapixels; scale the video down")
                     : tr("has no frame size: it has no video track, or is damaged"),
                 name});
}

/// From 8-bit BGR.
Image imageOf(const cv::Mat& frame, const std::string& name) {
  requireFrameSize(frame.cols, frame.rows, name);
  if (frame.type() != CV_8UC3)
    throw Failure({ErrorCode::UnsupportedFile, tr("its frames are not 8-bit color"), name});
  std::vector<std::uint8_t> pixels(std::size_t{3} * static_cast<std::size_t>(frame.cols) *
                                   static_cast<std::size_t>(frame.rows));
  std::uint8_t* out = pixels.data();
  for (int y = 0; y < frame.rows; ++y) {
    const std::uint8_t* in = frame.ptr<std::uint8_t>(y);
    for (int x = 0; x < frame.cols; ++x, in += 3, out += 3)
      out[0] = in[2], out[1] = in[1], out[2] = in[0];
  }
  return {frame.cols, frame.rows,
          std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels))};
}

/// As guarded(); what OpenCV throws is the file's fault.
template <typename Body>
auto guardedVideo(const std::string& where, Body body) {
  return guarded(where, [&] {
    try {
      return body();
    } catch (const cv::Exception&) {
      throw Failure({ErrorCode::InvalidFile, tr("is damaged: it cannot be decoded"), where});
    }
  });
}

}  // namespace

struct VideoReader::State {
  VideoInfo info;
  fs::path file;        ///< empty: a camera
  std::string demuxer;  ///< findVideoDemuxer()
  int camera = 0;
  cv::VideoCapture capture;
  std::int64_t position = 0;  ///< of the frame that the next grab gives
  bool pending = false;       ///< it is grabbed already

  void begin();
  void describe();
  bool grab();
  std::optional<VideoFrame> taken();
  void jump(std::int64_t index);
  void go(std::int64_t index, const std::stop_token& stop);
};

/// From the first frame on, which is grabbed: a file that has none is refused here.
void VideoReader::State::begin() {
  const std::vector<int> plain{cv::CAP_PROP_HW_ACCELERATION, cv::VIDEO_ACCELERATION_NONE};
  position = 0;
  pending = false;
  bool open = false;
  if (info.isCamera) {
    open = capture.open(camera, cv::CAP_V4L2);
  } else {
    const DemuxerLimit limit(demuxer);
    const std::string whole = fs::absolute(file).string();  // "http:x" is a file's name here
    open = cv::videoio_registry::hasBackend(cv::CAP_FFMPEG)
               ? capture.open(whole, cv::CAP_FFMPEG, plain)
               : info.kind == "AVI" && capture.open(whole, cv::CAP_OPENCV_MJPEG);
  }
  if (open)
    requireFrameSize(capture.get(cv::CAP_PROP_FRAME_WIDTH), capture.get(cv::CAP_PROP_FRAME_HEIGHT),
                     info.name);
  if (open && capture.grab()) pending = true;
  if (!pending)
    throw Failure(info.isCamera
                      ? Error{ErrorCode::Io,
                              tr("delivers no image; another program may be using it"), info.name}
                      : Error{ErrorCode::InvalidFile,
                              tr("has no frame that can be decoded: it is damaged, cut off, or "
                                 "uses a codec that this OpenCV lacks"),
                              file.string()});
}

/// Nothing is allocated from a header's numbers, but they are shown.
void VideoReader::State::describe() {
  info.width = static_cast<int>(capture.get(cv::CAP_PROP_FRAME_WIDTH));
  info.height = static_cast<int>(capture.get(cv::CAP_PROP_FRAME_HEIGHT));
  const double rate = capture.get(cv::CAP_PROP_FPS);
  info.rateKnown = std::isfinite(rate) && rate > 0.001 && rate <= kHighestRate;
  info.rate = info.rateKnown ? rate : kAssumedFrameRate;
  if (info.isCamera) return;
  const double frames = capture.get(cv::CAP_PROP_FRAME_COUNT);
  std::error_code unknown;
  const auto bytes = static_cast<double>(fs::file_size(file, unknown));
  // A frame takes at least a byte.
  info.frames = !unknown && frames >= 1 && frames <= bytes ? static_cast<std::int64_t>(frames) : 0;
}

bool VideoReader::State::grab() {
  if (!pending) pending = capture.grab();
  if (!pending && !info.isCamera) info.frames = position;
  return pending;
}

std::optional<VideoFrame> VideoReader::State::taken() {
  cv::Mat frame;
  if (!grab() || !capture.retrieve(frame) || frame.empty()) {
    if (pending && !info.isCamera) info.frames = position;
    return std::nullopt;
  }
  pending = false;
  const std::int64_t index = position++;
  if (!info.isCamera && info.frames > 0) info.frames = std::max(info.frames, position);
  return VideoFrame{imageOf(frame, info.name), index, static_cast<double>(index) / info.rate};
}

/// By the container's index, where that leads to the very frame; else from the beginning.
void VideoReader::State::jump(std::int64_t index) {
  const bool canJump = info.rateKnown && index > kStepsRatherThanJump && index < info.frames &&
                       info.kind != "animated GIF";
  if (canJump && capture.set(cv::CAP_PROP_POS_FRAMES, static_cast<double>(index)) &&
      std::llround(capture.get(cv::CAP_PROP_POS_FRAMES)) == index) {
    position = index;
    pending = false;
    return;
  }
  begin();
}

void VideoReader::State::go(std::int64_t index, const std::stop_token& stop) {
  if (index < position || index > position + kStepsRatherThanJump) jump(index);
  while (position < index) {
    if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "canceled", info.name});
    if (!grab()) return;
    pending = false;
    ++position;
  }
}

VideoReader::VideoReader() : m_state(std::make_unique<State>()) {}
VideoReader::~VideoReader() = default;

Result<std::unique_ptr<VideoReader>> VideoReader::open(const fs::path& file) {
  return guardedVideo(file.string(), [&] {
    std::unique_ptr<VideoReader> reader(new VideoReader);
    State& state = *reader->m_state;
    state.file = file;
    state.info.name = file.filename().string();
    const FoundVideo found = requireVideo(file);
    state.info.kind = found.kind;
    state.demuxer = found.demuxer;
    state.begin();
    state.describe();
    return reader;
  });
}

Result<std::unique_ptr<VideoReader>> VideoReader::openCamera(int number) {
  const std::string name = "camera " + std::to_string(number);
  return guardedVideo(name, [&] {
    std::unique_ptr<VideoReader> reader(new VideoReader);
    State& state = *reader->m_state;
    state.camera = number;
    state.info.name = name;
    state.info.kind = "camera";
    state.info.isCamera = true;
    if (number < 0 || !fs::exists("/dev/video" + std::to_string(number)))
      throw Failure({ErrorCode::NotFound, tr("no such camera on this computer"), name});
    prepareVideoIo();
    state.begin();
    state.describe();
    return reader;
  });
}

const VideoInfo& VideoReader::info() const {
  return m_state->info;
}

Result<std::optional<VideoFrame>> VideoReader::next() {
  return guardedVideo(m_state->info.name, [&] { return m_state->taken(); });
}

Result<std::optional<VideoFrame>> VideoReader::at(std::int64_t index, std::stop_token stop) {
  return guardedVideo(m_state->info.name, [&]() -> std::optional<VideoFrame> {
    if (index < 0)
      throw Failure(
          {ErrorCode::InvalidArgument, tr("frames are counted from 0"), m_state->info.name});
    if (!m_state->info.isCamera) m_state->go(index, stop);
    if (!m_state->info.isCamera && m_state->position != index) return std::nullopt;
    return m_state->taken();
  });
}

std::vector<CameraInfo> cameras() {
  std::vector<CameraInfo> found;
  for (int number = 0; number < 64; ++number) {
    const std::string device = "video" + std::to_string(number);
    std::error_code unknown;
    if (!fs::is_character_file("/dev/" + device, unknown)) continue;
    std::string name;
    std::ifstream text("/sys/class/video4linux/" + device + "/name");
    std::getline(text, name);
    found.push_back({number, name.empty() ? device : name});
  }
  return found;
}

Result<Image> readVideoFrame(const fs::path& file, std::int64_t index) {
  return guarded(file.string(), [&] {
    const auto reader = valueOrThrow(VideoReader::open(file));
    const auto frame = valueOrThrow(reader->at(index));
    if (!frame)
      throw Failure({ErrorCode::NotFound,
                     tr("has no frame ") + std::to_string(index) + tr(": it has ") +
                         std::to_string(reader->info().frames) + tr(", counted from 0"),
                     file.string()});
    return frame->image;
  });
}

}  // namespace headlight
