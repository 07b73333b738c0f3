// From a mask edit to the new picture: the time of InferenceSession::look after one head of one
// layer was masked, for every layer. Prints the median per layer and over all, in milliseconds.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/workbench/InferenceSession.h"
#include "core/workbench/Pictures.h"

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int count, char** arguments) {
  using namespace headlight;
  if (count != 4) {
    std::fprintf(stderr, "usage: bench_edit MODEL IMAGE THREADS\n");
    return 2;
  }
  ModelSource source;
  source.model = arguments[1];
  source.threads = std::atoi(arguments[3]);
  auto session = InferenceSession::open(source);
  auto image = readImage(arguments[2]);
  if (!session || !image) {
    std::fprintf(stderr, "%s\n", (!session ? session.error() : image.error()).text().c_str());
    return 1;
  }
  const ModelInfo& info = (*session)->info();
  const MaskScheme open(info.heads);
  HeadMask hard;
  hard.kind = MaskKind::Hard;
  std::vector<double> all;
  std::printf("%s, %s\nlayer  median ms of 9\n", arguments[1], computeDescription().c_str());
  for (int layer = 0; layer < open.layers(); ++layer) {
    std::vector<double> times;
    MaskScheme edited = open;
    edited.set(layer, 0, hard);
    for (int run = 0; run < 9; ++run) {
      if (!(*session)->look(*image, open)) return 1;
      const auto look = (*session)->look(*image, edited);
      if (!look || look->recomputedFrom != layer) return 1;
      times.push_back(look->milliseconds);
    }
    std::printf("%5d  %6.1f\n", layer, median(times));
    all.insert(all.end(), times.begin(), times.end());
  }
  std::printf("  all  %6.1f\n", median(all));
}
