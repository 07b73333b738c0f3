// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/video/FilmFile.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/base/files/OutputTarget.h"
#include "core/imaging/video/GifFilm.h"
#include "core/imaging/video/MovingFilm.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr double kShortestFrame = 0.001, kLongestFrame = 60;  ///< seconds

[[noreturn]] void refuseFilm(ErrorCode code, const std::string& message, const fs::path& path) {
  throw Failure({code, message, path.string()});
}

/// On white, from the upper left.
Image fitted(const Image& frame, int width, int height) {
  if (frame.width == width && frame.height == height) return frame;
  std::vector<std::uint8_t> pixels(std::size_t{3} * static_cast<std::size_t>(width) * height, 255);
  const auto bytes = std::size_t{3} * static_cast<std::size_t>(std::min(width, frame.width));
  for (int y = 0; y < std::min(height, frame.height); ++y)
    std::copy_n(frame.row(y), bytes, pixels.data() + std::size_t{3} * width * y);
  return {width, height, std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels))};
}

}  // namespace

struct FilmFile::State {
  fs::path path;
  fs::path partial;  ///< of AVI and MP4, beside it
  FilmFormat format = FilmFormat::Gif;
  int width = 0, height = 0, frames = 0;
  bool madeFolder = false, finished = false;
  std::unique_ptr<GifFilm> gif;
  std::unique_ptr<MovingFilm> moving;
  std::vector<fs::path> images;

  void begin(double seconds);
  void beginFolder();
  void addImage(const Image& frame);
  void takeAway();
};

void FilmFile::State::begin(double seconds) {
  if (!(seconds >= kShortestFrame && seconds <= kLongestFrame))
    refuseFilm(ErrorCode::InvalidArgument, tr("each frame is shown for 0.001 to 60 seconds"), path);
  if (format == FilmFormat::Images) return beginFolder();
  path = valueOrThrow(outputTarget(path)).path;
  if (format == FilmFormat::Gif) {
    gif = std::make_unique<GifFilm>(seconds);
    return;
  }
  partial = path.parent_path() / (std::string(".") + path.stem().string() + ".part" +
                                  (format == FilmFormat::Avi ? ".avi" : ".mp4"));
  moving = std::make_unique<MovingFilm>(partial, 1 / seconds);
}

void FilmFile::State::beginFolder() {
  std::error_code failed;
  madeFolder = fs::create_directories(path, failed);
  if (failed || !fs::is_directory(path))
    refuseFilm(ErrorCode::Io, tr("the folder could not be created: ") + failed.message(), path);
  if (!fs::is_empty(path, failed))
    refuseFilm(ErrorCode::InvalidArgument, tr("is not empty; give a new folder"), path);
}

void FilmFile::State::addImage(const Image& frame) {
  char name[32];
  std::snprintf(name, sizeof name, "%05d.png", frames);
  const std::string png = valueOrThrow(encodePng(frame, {{"Software", "Headlight"}}));
  images.push_back(path / name);
  valueOrThrow(writeFileAtomically(images.back(), png));
}

void FilmFile::State::takeAway() {
  std::error_code ignored;
  moving.reset();
  if (!partial.empty()) fs::remove(partial, ignored);
  for (const fs::path& image : images)
    fs::remove(image, ignored);
  if (madeFolder) fs::remove(path, ignored);
}

FilmFile::FilmFile() : m_state(std::make_unique<State>()) {}

FilmFile::~FilmFile() {
  if (!m_state->finished) m_state->takeAway();
}

Result<FilmFormat> findFilmFormat(const fs::path& path) {
  const std::string ending = lowered(path.extension().string());
  if (path.empty()) return Error{ErrorCode::InvalidArgument, tr("give a file or a folder"), ""};
  if (ending.empty()) return FilmFormat::Images;
  if (ending == ".gif") return FilmFormat::Gif;
  if (ending == ".avi") return FilmFormat::Avi;
  if (ending == ".mp4") return FilmFormat::Mp4;
  return Error{ErrorCode::InvalidArgument,
               tr("films are written as .gif, .avi or .mp4, or, without an extension, as a folder "
                  "of PNG files"),
               path.string()};
}

Result<std::unique_ptr<FilmFile>> FilmFile::create(const fs::path& path, double seconds) {
  return guarded(path.string(), [&] {
    std::unique_ptr<FilmFile> film(new FilmFile);
    film->m_state->path = path;
    film->m_state->format = valueOrThrow(findFilmFormat(path));
    film->m_state->begin(seconds);
    return film;
  });
}

Result<void> FilmFile::add(const Image& frame) {
  return guarded(m_state->path.string(), [&] {
    if (frame.empty())
      refuseFilm(ErrorCode::InvalidArgument, tr("a frame is empty"), m_state->path);
    State& state = *m_state;
    if (state.frames == 0) {
      state.width = frame.width;
      state.height = frame.height;
    }
    const Image shown = fitted(frame, state.width, state.height);
    if (state.gif)
      state.gif->add(shown);
    else if (state.moving)
      state.moving->add(shown);
    else
      state.addImage(shown);
    ++state.frames;
  });
}

Result<int> FilmFile::finish() {
  return guarded(m_state->path.string(), [&] {
    State& state = *m_state;
    if (state.frames == 0)
      refuseFilm(ErrorCode::InvalidArgument, tr("there is no frame to write"), state.path);
    if (state.gif) valueOrThrow(writeFileAtomically(state.path, state.gif->finish()));
    if (state.moving) {
      state.moving->finish();
      fs::rename(state.partial, state.path);
    }
    state.finished = true;
    return state.frames;
  });
}

FilmFormat FilmFile::format() const {
  return m_state->format;
}

std::string FilmFile::coding() const {
  switch (m_state->format) {
    case FilmFormat::Gif:
      return "GIF";
    case FilmFormat::Images:
      return "PNG";
    case FilmFormat::Avi:
      return m_state->moving->coding() + " in AVI";
    case FilmFormat::Mp4:
      return m_state->moving->coding() + " in MP4";
  }
  return "";
}

}  // namespace headlight
