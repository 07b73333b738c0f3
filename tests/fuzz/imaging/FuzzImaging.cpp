// SPDX-License-Identifier: GPL-3.0-or-later

// Mutated images through every door of core/imaging that takes a file: whatever the bytes, the
// answer is an Image or an Error. Deterministic; build with HEADLIGHT_SANITIZE=address,undefined to
// see reads and writes that go astray without crashing.
//
//   fuzz_imaging [--iterations N] [--seconds T] [--seed S] [folder of images]
//
// N mutations (2000), or as many as take T seconds of the processor.
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
#include "tests/fuzz/Bounds.h"
#include "tests/fuzz/Mutator.h"
#include "tests/fuzz/Turns.h"

using namespace headlight;

namespace {

constexpr int kSide = 40;  // of the view: a large one takes longer than all that is read

bool makesSense(const Image& image) {
  if (image.empty() ||
      image.pixels->size() != std::size_t(image.width) * std::size_t(image.height) * 3)
    return false;
  if (image.alphaDropped && image.alphaDropped->size() != image.pixels->size()) return false;
  Preprocessing white, dropped;
  white.width = white.height = dropped.width = dropped.height = kSide;
  dropped.dropAlpha = true;
  return evaluationView(image, white).width == kSide &&
         evaluationView(image, dropped).width == kSide;
}

/// Whether it was an image. Ends the program where the answer makes no sense.
bool check(const std::string& bytes, const std::string& what) {
  for (const auto& [keyword, value] : readPngText(bytes))
    fuzz::require(!keyword.empty(), what + ": a text without a keyword");
  const auto image = decodeImage(bytes, "fuzz");
  if (!image)
    fuzz::require(!image.error().message.empty() && image.error().where == "fuzz",
                  what + ": an error that says nothing");
  else
    fuzz::require(makesSense(*image), what + ": gives nonsense");
  return image.ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check(std::string(reinterpret_cast<const char*>(data), size), "fuzz_imaging");
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
  std::vector<std::string> folders(arguments + 1, arguments + count);
  const fuzz::Turns turns = fuzz::takeTurns(folders, 2000);
  const std::string folder =
      folders.empty() ? HEADLIGHT_GOLDEN_DIR "/pillow/formats" : folders.front();
  std::vector<std::string> seeds = readSeeds(folder);
  if (folders.empty())
    for (std::string& still : readSeeds(HEADLIGHT_GOLDEN_DIR "/stills"))
      seeds.push_back(std::move(still));
  long decoded = 0, i = 0;
  fuzz::limitMemory();
  fuzz::Mutator mutator(turns.seed);
  for (const std::clock_t begin = std::clock(); turns.goOn(i, begin); ++i) {
    const std::string what =
        "fuzz_imaging, seed " + std::to_string(turns.seed) + ", iteration " + std::to_string(i);
    fuzz::announce(what);
    const std::string& other = seeds[mutator.below(seeds.size())];
    const std::string bytes = mutator.mutate(seeds[mutator.below(seeds.size())], other);
    decoded += check(bytes, what) ? 1 : 0;
  }
  std::printf("%ld mutated images, %ld of them still decoded\n", i, decoded);
  return 0;
}
#endif
