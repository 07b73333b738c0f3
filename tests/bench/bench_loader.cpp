// SPDX-License-Identifier: GPL-3.0-or-later

// One epoch of the loader at a time, on request: for each line of standard input the images per
// second of an epoch. compare_loader.py drives it, turn by turn with torchvision.

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include "core/data/Loader.h"

namespace {

using namespace headlight;

/// torchvision's RandomResizedCrop with its defaults, a flip, mean and deviation.
LoaderOptions likeTorchvision(char** arguments) {
  LoaderOptions options;
  options.threads = std::atoi(arguments[2]);
  options.batchSize = std::atoi(arguments[3]);
  options.dropLast = false;
  options.augment.minScale = 0.08;
  options.preprocessing.width = options.preprocessing.height = std::atoi(arguments[4]);
  options.preprocessing.interpolation = Interpolation::Bilinear;
  options.augment.jpegScaling = std::string(arguments[5]) == "scaled";
  return options;
}

double imagesPerSecond(Loader& loader, std::int64_t epoch) {
  const auto started = std::chrono::steady_clock::now();
  std::int64_t images = 0;
  loader.startEpoch(epoch);
  for (auto batch = valueOrThrow(loader.next()); batch; batch = valueOrThrow(loader.next()))
    images += static_cast<std::int64_t>(batch->indices.size());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  return static_cast<double>(images) / took.count();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) {
    std::cerr << "usage: bench_loader FOLDER THREADS BATCH SIDE whole|scaled\n";
    return 2;
  }
  DatasetSpec spec;
  spec.kind = detectDatasetKind(arguments[1]);
  spec.path = arguments[1];
  spec.validationFraction = 0;
  Loader loader(valueOrThrow(openDataset(spec, Split::Train)), likeTorchvision(arguments));
  std::cout << "ready" << std::endl;
  std::int64_t epoch = 0;
  for (std::string line; std::getline(std::cin, line);)
    std::cout << imagesPerSecond(loader, epoch++) << std::endl;
}
