// Mutated pictures through every door of core/imaging that takes a file: whatever the bytes, the
// answer is an Image or an Error. Deterministic; build with HEADLIGHT_SANITIZE=address,undefined to
// see reads and writes that go astray without crashing.
//
//   fuzz_imaging [iterations] [seed] [folder of pictures]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/Files.h"
#include "core/base/Random.h"
#include "core/imaging/Preprocess.h"

using namespace headlight;

namespace {

std::vector<std::string> readSeeds(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file() && hasImageExtension(entry.path())) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());  // the same order on every machine
  std::vector<std::string> seeds;
  for (const auto& path : paths)
    seeds.push_back(valueOrThrow(readFile(path, 1 << 20)));
  return seeds;
}

void overwriteNumber(std::string& bytes, RandomStream& random) {
  constexpr std::uint32_t kTelling[] = {0,      1,      0x7f,       0x80,      0xff,
                                        0x7fff, 0xffff, 0x7fffffff, 0xffffffff};
  const std::uint32_t value = kTelling[random.below(std::size(kTelling))];
  const std::size_t at =
      static_cast<std::size_t>(random.below(static_cast<std::int64_t>(bytes.size())));
  const std::int64_t count = random.below(4) + 1;
  const bool big = random.below(2) == 0;
  for (std::int64_t i = 0; i < count && at + static_cast<std::size_t>(i) < bytes.size(); ++i)
    bytes[at + static_cast<std::size_t>(i)] =
        static_cast<char>(value >> (8 * (big ? count - 1 - i : i)));
}

/// Flips, numbers, cuts, insertions and splices with another seed, one to six of them. Headers are
/// hit as often as everything else together.
std::string mutated(const std::vector<std::string>& seeds, RandomStream& random) {
  const auto any = [&] {
    return seeds[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(seeds.size())))];
  };
  std::string bytes = any();
  for (std::int64_t step = random.below(6); step >= 0 && !bytes.empty(); --step) {
    const auto size = static_cast<std::int64_t>(bytes.size());
    const auto reach = random.below(2) == 0 ? std::min<std::int64_t>(size, 200) : size;
    const auto at = static_cast<std::size_t>(random.below(reach));
    switch (random.below(6)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 2:
        overwriteNumber(bytes, random);
        break;
      case 3:
        bytes.resize(at);
        break;
      case 4:
        bytes.insert(at, bytes.substr(at / 2, static_cast<std::size_t>(random.below(64))));
        break;
      default: {
        const std::string other = any();
        bytes = bytes.substr(0, at) + other.substr(std::min(at, other.size()));
      }
    }
  }
  return bytes;
}

/// Whether the answer makes sense.
bool check(const std::string& bytes) {
  for (const auto& [keyword, value] : readPngText(bytes))
    if (keyword.empty()) return false;
  const auto image = decodeImage(bytes, "fuzz");
  if (!image) return !image.error().message.empty() && image.error().where == "fuzz";
  if (image->empty() ||
      image->pixels->size() != std::size_t(image->width) * std::size_t(image->height) * 3)
    return false;
  return evaluationView(*image, Preprocessing{}).width == 224;
}

}  // namespace

int main(int count, char** arguments) {
  const std::int64_t iterations = count > 1 ? std::atoll(arguments[1]) : 2000;
  const std::uint64_t seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  const std::string folder = count > 3 ? arguments[3] : HEADLIGHT_GOLDEN_DIR "/pillow/formats";
  const std::vector<std::string> seeds = readSeeds(folder);
  std::int64_t decoded = 0;
  for (std::int64_t i = 0; i < iterations; ++i) {
    RandomStream random(streamKey({seed, static_cast<std::uint64_t>(i)}));
    const std::string bytes = mutated(seeds, random);
    if (!check(bytes)) {
      std::fprintf(stderr, "iteration %lld of seed %llu gives nonsense\n",
                   static_cast<long long>(i), static_cast<unsigned long long>(seed));
      return 1;
    }
    decoded += decodeImage(bytes, "fuzz").ok() ? 1 : 0;
  }
  std::printf("%lld mutated pictures, %lld of them still decoded\n",
              static_cast<long long>(iterations), static_cast<long long>(decoded));
  return 0;
}
