// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/video/MovingFilm.h"

#include <opencv2/core.hpp>
#include <opencv2/videoio.hpp>

#include <utility>

#include "core/base/Translation.h"
#include "core/imaging/video/VideoIo.h"
#include "core/imaging/video/VideoReader.h"

namespace headlight {
namespace {

constexpr double kJpegQuality = 95;  ///< of 100

struct FilmCoding {
  const char* name;
  int backend, code;
};

}  // namespace

struct MovingFilm::State {
  std::filesystem::path path;
  double rate = 1;
  cv::VideoWriter writer;
  cv::Size size;
  std::string coding;
  std::int64_t frames = 0;

  void begin(const Image& first);
  bool tryCoding(const FilmCoding& wanted);
};

bool MovingFilm::State::tryCoding(const FilmCoding& wanted) {
  if (!writer.open(path.string(), wanted.backend, wanted.code, rate, size)) return false;
  writer.set(cv::VIDEOWRITER_PROP_QUALITY, kJpegQuality);
  coding = wanted.name;
  return true;
}

void MovingFilm::State::begin(const Image& first) {
  prepareVideoIo();
  size = {first.width, first.height};
  const bool avi = path.extension() == ".avi";
  if (avi &&
      tryCoding({"Motion JPEG", cv::CAP_OPENCV_MJPEG, cv::VideoWriter::fourcc('M', 'J', 'P', 'G')}))
    return;
  if (!avi && (tryCoding({"H.264", cv::CAP_FFMPEG, cv::VideoWriter::fourcc('a', 'v', 'c', '1')}) ||
               tryCoding({"MPEG-4", cv::CAP_FFMPEG, cv::VideoWriter::fourcc('m', 'p', '4', 'v')})))
    return;
  throw Failure({avi ? ErrorCode::Io : ErrorCode::UnsupportedFile,
                 avi ? tr("cannot be written; check the folder and its permissions")
                     : tr("cannot be written: the folder is not writable, or this OpenCV has no "
                          "FFmpeg for MP4; write .avi, .gif or a folder"),
                 path.string()});
}

MovingFilm::MovingFilm(std::filesystem::path path, double rate)
    : m_state(std::make_unique<State>()) {
  m_state->path = std::move(path);
  m_state->rate = rate;
}

MovingFilm::~MovingFilm() = default;

const std::string& MovingFilm::coding() const {
  return m_state->coding;
}

void MovingFilm::add(const Image& frame) {
  if (frame.empty())
    throw Failure({ErrorCode::InvalidArgument, tr("a frame is empty"), m_state->path.string()});
  if (m_state->coding.empty()) m_state->begin(frame);
  cv::Mat pixels(frame.height, frame.width, CV_8UC3);
  for (int y = 0; y < frame.height; ++y) {
    const std::uint8_t* in = frame.row(y);
    std::uint8_t* out = pixels.ptr<std::uint8_t>(y);
    for (int x = 0; x < frame.width; ++x, in += 3, out += 3)
      out[0] = in[2], out[1] = in[1], out[2] = in[0];
  }
  m_state->writer.write(pixels);
  ++m_state->frames;
}

void MovingFilm::finish() {
  if (m_state->coding.empty()) return;
  m_state->writer.release();
  const auto written = VideoReader::open(m_state->path);
  const std::int64_t frames = written ? (*written)->info().frames : 0;
  if (frames == m_state->frames) return;
  throw Failure({ErrorCode::Io,
                 tr("was not written whole: ") + std::to_string(frames) + " of " +
                     std::to_string(m_state->frames) +
                     tr(" frames are in it; check the space on its disk, or write fewer frames"),
                 m_state->path.string()});
}

}  // namespace headlight
