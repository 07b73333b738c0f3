// Of Target.h, videos: small films of each container that Headlight writes itself.

#include "core/base/Files.h"
#include "core/workbench/Video.h"
#include "tests/fuzz/Bounds.h"
#include "tests/fuzz/readers/Target.h"

namespace headlight::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr int kFrames = 4, kSide = 16;

std::string filmBytes(const fs::path& path) {
  const auto film = valueOrThrow(FilmFile::create(path, 0.1));
  for (int frame = 0; frame < kFrames; ++frame)
    valueOrThrow(film->add(
        {kSide, kSide,
         std::make_shared<const std::vector<std::uint8_t>>(3 * kSide * kSide, 50 * frame)}));
  valueOrThrow(film->finish());
  return valueOrThrow(readFile(path, 1 << 20));
}

/// In order, and a jump back.
Result<void> readVideo(const fs::path& path) {
  const auto opened = VideoReader::open(path);
  if (!opened) return opened.error();
  VideoReader& video = **opened;
  const VideoInfo& info = video.info();
  require(info.width > 0 && info.height > 0 && info.rate > 0, "a video without a size or rate");
  for (int i = 0; i < 2 * kFrames; ++i) {
    const auto frame = video.next();
    if (!frame) return frame.error();
    if (!*frame) break;
    require((*frame)->index == i && !(*frame)->image.empty(), "another frame");
  }
  const auto second = video.at(1);
  return second ? Result<void>() : Result<void>(second.error());
}

}  // namespace

std::vector<Target> videoTargets(const fs::path& folder) {
  std::vector<Target> targets;
  for (const std::string ending : {"avi", "mp4", "gif"}) {
    const fs::path path = folder / ("film." + ending);
    const std::string whole = filmBytes(path);
    targets.push_back({"video, " + ending, Kind::Bytes, {whole}, [path](const std::string& bytes) {
                         writeBytes(path, bytes);
                         return readVideo(path);
                       }});
  }
  return targets;
}

}  // namespace headlight::fuzz
