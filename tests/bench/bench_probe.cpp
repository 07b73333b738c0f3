// SPDX-License-Identifier: GPL-3.0-or-later

// How long a linear probe takes: the fit with its choice among penalties, and the votes of k-NN.
//
//     bench_probe [images] [features] [classes] [asked] [repetitions]
//
// The features are those of classes that overlap, with the spread of a trained backbone's: a few
// directions carry most of the variance.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "core/workbench/adapt/AdaptOptions.h"
#include "core/workbench/adapt/NeighborVotes.h"
#include "core/workbench/adapt/ProbeFit.h"

using namespace headlight;

namespace {

struct ProbeSize {
  std::int64_t images = 10000, features = 384, classes = 10, asked = 5000;
};

at::Tensor labelsOf(std::int64_t images, std::int64_t classes) {
  return at::arange(images, at::kLong).remainder(classes);
}

/// [images, features], float32.
at::Tensor overlapping(const ProbeSize& size, std::int64_t images, const at::Tensor& centers,
                       const at::Tensor& mixing) {
  const at::Tensor labels = labelsOf(images, size.classes);
  return at::mm(at::randn({images, size.features}) + centers.index_select(0, labels), mixing);
}

double secondsOf(const std::function<void()>& work) {
  const auto started = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

double medianOf(int repetitions, const std::function<void()>& work) {
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i)
    seconds.push_back(secondsOf(work));
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const auto given = [&](int place, std::int64_t otherwise) {
    return argc > place ? std::atoll(argv[place]) : otherwise;
  };
  const ProbeSize size{given(1, 10000), given(2, 384), given(3, 10), given(4, 5000)};
  const int repetitions = static_cast<int>(given(5, 5));
  at::manual_seed(1);
  const at::Tensor decay = at::arange(size.features).to(at::kFloat).add(1).pow(-0.7);
  const at::Tensor mixing = at::diag(decay).mm(at::randn({size.features, size.features}));
  const at::Tensor centers = 0.1 * at::randn({size.classes, size.features});
  const at::Tensor known = overlapping(size, size.images, centers, mixing).to(at::kDouble),
                   asked = overlapping(size, size.asked, centers, mixing).to(at::kDouble);
  const at::Tensor labels = labelsOf(size.images, size.classes);
  const ProbeRequest request{
      known,
      {labels.data_ptr<std::int64_t>(), labels.data_ptr<std::int64_t>() + labels.numel()},
      size.classes,
      *readStrengths(AdaptOptions().strengths)};
  ProbeFit fit;
  const double fitting = medianOf(repetitions, [&] { fit = fitProbe(request); });
  const double voting = medianOf(
      repetitions, [&] { neighborVotes(known, labels, asked, size.classes, NeighborOptions()); });
  const at::Tensor logits = at::mm(asked, fit.weight.t()) + fit.bias;
  std::printf("threads %d: fit %.3f s (l2 %g, %d iterations, converged %d), votes %.3f s\n",
              at::get_num_threads(), fitting, fit.l2, fit.iterations, fit.converged, voting);
  const at::Tensor right = logits.argmax(1).eq(labelsOf(size.asked, size.classes));
  std::printf("top-1 of the asked: %.4f\n", right.to(at::kDouble).mean().item<double>());
}
