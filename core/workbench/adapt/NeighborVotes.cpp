// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/adapt/NeighborVotes.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr std::int64_t kQueriesAtOnce = 256;
// Cosines in float32 are off by a few 1e-7: who is among the k is decided in double precision, of
// these more than k.
constexpr std::int64_t kDoubtful = 12;
// Of more than these, collecting the rows of candidates takes longer than comparing with all.
constexpr std::int64_t kFewNeighbors = 64;

at::Tensor ofLengthOne(const at::Tensor& rows) {
  const at::Tensor values = rows.to(at::kDouble);
  return values / values.norm(2, 1, /*keepdim=*/true).clamp_min(1e-12);
}

/// Cosines in double precision and places of the nearest, each [Q, k].
struct Nearest {
  at::Tensor cosines, places;
};

/// The rows that are known, of length one.
struct KnownRows {
  at::Tensor exact, rough;  ///< [N, D], double and float32
};

Nearest nearestOfAll(const at::Tensor& asked, const KnownRows& known, std::int64_t most) {
  const auto [cosines, places] = at::mm(asked, known.exact.t()).topk(most, 1);
  return {cosines, places};
}

Nearest nearestOfCandidates(const at::Tensor& asked, const KnownRows& known, std::int64_t most) {
  const std::int64_t taken = std::min(most + kDoubtful, known.exact.size(0));
  const at::Tensor rough = at::mm(asked.to(at::kFloat), known.rough.t());
  const at::Tensor candidates = std::get<1>(rough.topk(taken, 1));
  const at::Tensor rows = known.exact.index_select(0, candidates.flatten())
                              .view({candidates.size(0), taken, known.exact.size(1)});
  const auto [cosines, order] = at::bmm(rows, asked.unsqueeze(2)).squeeze(2).topk(most, 1);
  return {cosines, candidates.gather(1, order)};
}

Nearest nearestOf(const at::Tensor& asked, const KnownRows& known, std::int64_t neighbors) {
  const std::int64_t most = std::min(neighbors, known.exact.size(0));
  return most > kFewNeighbors ? nearestOfAll(asked, known, most)
                              : nearestOfCandidates(asked, known, most);
}

/// [Q, C]. Weights are divided by the greatest, so that small temperatures do not overflow.
at::Tensor votesFor(const Nearest& nearest, const at::Tensor& labels, std::int64_t classes,
                    double temperature) {
  const auto& [cosines, places] = nearest;
  const at::Tensor weights = ((cosines - cosines.amax(1, /*keepdim=*/true)) / temperature).exp();
  const at::Tensor classesOf = labels.index_select(0, places.flatten()).view(places.sizes());
  const at::Tensor votes = at::zeros({cosines.size(0), classes}, cosines.options());
  votes.scatter_add_(1, classesOf, weights);
  return votes / weights.sum(1, /*keepdim=*/true);
}

}  // namespace

at::Tensor neighborVotes(const at::Tensor& features, const at::Tensor& labels,
                         const at::Tensor& queries, std::int64_t classes,
                         const NeighborOptions& options, const std::stop_token& stop) {
  const at::NoGradGuard noGrad;
  const at::Tensor rows = ofLengthOne(features), asked = ofLengthOne(queries);
  const KnownRows known{rows, rows.to(at::kFloat)};
  std::vector<at::Tensor> votes;
  for (std::int64_t from = 0; from < asked.size(0); from += kQueriesAtOnce) {
    if (stop.stop_requested())
      throw Failure({ErrorCode::Canceled, tr("the measurement was stopped"), ""});
    const std::int64_t end = std::min(from + kQueriesAtOnce, asked.size(0));
    votes.push_back(votesFor(nearestOf(asked.slice(0, from, end), known, options.neighbors), labels,
                             classes, options.temperature));
  }
  return votes.empty() ? at::zeros({0, classes}, asked.options()) : at::cat(votes);
}

}  // namespace headlight
