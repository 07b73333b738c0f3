// SPDX-License-Identifier: GPL-3.0-or-later

// Mutated images through every door of core/imaging that takes a file: whatever the bytes, the
// answer is an Image or an Error. Deterministic; build with HEADLIGHT_SANITIZE=address,undefined to
// see reads and writes that go astray without crashing.
//
//   fuzz_imaging [iterations] [seed] [folder of images]
//
// Times HEADLIGHT_TEST_EFFORT (tests/README.md). With HEADLIGHT_LIBFUZZER a libFuzzer target.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/files/Files.h"
#include "core/imaging/Preprocess.h"
#include "tests/Effort.h"
#include "tests/fuzz/Bounds.h"
#include "tests/fuzz/Mutator.h"

using namespace headlight;

namespace {

/// Whether the answer makes sense.
bool check(const std::string& bytes) {
  for (const auto& [keyword, value] : readPngText(bytes))
    if (keyword.empty()) return false;
  const auto image = decodeImage(bytes, "fuzz");
  if (!image) return !image.error().message.empty() && image.error().where == "fuzz";
  if (image->empty() ||
      image->pixels->size() != std::size_t(image->width) * std::size_t(image->height) * 3)
    return false;
  if (image->alphaDropped && image->alphaDropped->size() != image->pixels->size()) return false;
  Preprocessing dropped;
  dropped.dropAlpha = true;
  return evaluationView(*image, Preprocessing{}).width == 224 &&
         evaluationView(*image, dropped).width == 224;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::require(check(std::string(reinterpret_cast<const char*>(data), size)), "gives nonsense");
  return 0;
}

#ifndef HEADLIGHT_LIBFUZZER
namespace {

std::vector<std::string> readSeeds(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file() && hasImageExtension(entry.path())) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());  // the same order on every machine
  std::vector<std::string> seeds;
  for (const auto& path : paths)
    seeds.push_back(valueOrThrow(readFile(path, 1 << 20)));
  const std::string samples(24, '\x31');  // also a digit
  for (const std::string header : {"P1 4 3\n", "P2 4 3 99 ", "P3 # comment\n2 2 65535\n",
                                   "P4 4 3\n", "P5 4 3 255\n", "P5 4 3 1000\n", "P6 4 2 255\n"})
    seeds.push_back(
        header + (header[1] < '4' && header[1] > '1' ? "1 22 3 4 5 6 7 8 9 10 11 12 " : samples));
  return seeds;
}

}  // namespace

int main(int count, char** arguments) {
  const std::int64_t iterations = (count > 1 ? std::atoll(arguments[1]) : 2000) * testEffort();
  const std::uint64_t seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  const std::string folder = count > 3 ? arguments[3] : HEADLIGHT_GOLDEN_DIR "/pillow/formats";
  std::vector<std::string> seeds = readSeeds(folder);
  if (count <= 3)
    for (std::string& still : readSeeds(HEADLIGHT_GOLDEN_DIR "/stills"))
      seeds.push_back(std::move(still));
  std::int64_t decoded = 0;
  fuzz::limitMemory();
  fuzz::Mutator mutator(seed);
  for (std::int64_t i = 0; i < iterations; ++i) {
    fuzz::announce("fuzz_imaging, seed " + std::to_string(seed) + ", iteration " +
                   std::to_string(i));
    const std::string& other = seeds[mutator.below(seeds.size())];
    const std::string bytes = mutator.mutate(seeds[mutator.below(seeds.size())], other);
    if (!check(bytes)) {
      std::fprintf(stderr, "iteration %lld of seed %llu gives nonsense\n",
                   static_cast<long long>(i), static_cast<unsigned long long>(seed));
      return 1;
    }
    decoded += decodeImage(bytes, "fuzz").ok() ? 1 : 0;
  }
  std::printf("%lld mutated images, %lld of them still decoded\n",
              static_cast<long long>(iterations), static_cast<long long>(decoded));
  return 0;
}
#endif
