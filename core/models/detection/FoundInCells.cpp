// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/detection/FoundInCells.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

/// Scores are compared roughly where they were computed, and exactly in double precision.
constexpr double kRoughly = 0.999;

/// Candidates of all images: of each the place in scores [B, N, K], rising, and the score. Few of
/// all, which would take long to come from a device.
struct HighScores {
  at::Tensor places, scores;

  HighScores(const at::Tensor& probabilities, double leastScore) {
    const at::Tensor all = probabilities.reshape({-1});
    const at::Tensor high = at::nonzero(all > leastScore * kRoughly).squeeze(1);
    places = high.to(at::kCPU).contiguous();
    scores = all.index_select(0, high).to(at::kCPU, at::kDouble).contiguous();
  }
};

/// Of one image, as ScoredBox for the suppression, and the cell of each.
struct Candidates {
  std::vector<ScoredBox> boxes;
  std::vector<std::int64_t> cells;

  /// `corners`: left, top, right, bottom of the cell's box.
  void add(const double* corners, std::int64_t cell, int label, double score) {
    if (!std::isfinite(corners[0] + corners[1] + corners[2] + corners[3])) return;
    boxes.push_back(
        {{corners[0], corners[1], corners[2] - corners[0], corners[3] - corners[1]}, label, score});
    cells.push_back(cell);
  }
};

/// By image.
std::vector<Candidates> candidatesIn(const CellScores& scores, double leastScore) {
  const HighScores high(scores.logits.detach().sigmoid(), leastScore);
  const at::Tensor corners = cellBoxes({scores.logits, scores.sides.detach(), scores.levels})
                                 .to(at::kCPU, at::kDouble)
                                 .contiguous();
  const std::int64_t cells = scores.logits.size(1), classes = scores.logits.size(2);
  std::vector<Candidates> found(static_cast<std::size_t>(scores.logits.size(0)));
  for (std::int64_t i = 0; i < high.places.numel(); ++i) {
    const double score = high.scores.data_ptr<double>()[i];
    const std::int64_t place = high.places.data_ptr<std::int64_t>()[i], row = place / classes;
    if (score > leastScore)
      found[static_cast<std::size_t>(row / cells)].add(corners.data_ptr<double>() + 4 * row,
                                                       row % cells,
                                                       static_cast<int>(place % classes), score);
  }
  return found;
}

PixelBox clipped(const PixelBox& box, double height, double width) {
  const double left = std::clamp(box.x, 0.0, width), top = std::clamp(box.y, 0.0, height);
  return {left, top, std::clamp(box.x + box.width, 0.0, width) - left,
          std::clamp(box.y + box.height, 0.0, height) - top};
}

}  // namespace

std::vector<std::vector<CellBox>> findBoxes(const CellScores& scores, std::int64_t height,
                                            std::int64_t width, const FoundOptions& options) {
  const std::vector<Candidates> candidates = candidatesIn(scores, options.leastScore);
  std::vector<std::vector<CellBox>> found(candidates.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& [boxes, cells] = candidates[i];
    for (const int kept : keptBoxes(boxes, options.suppression)) {
      const auto place = static_cast<std::size_t>(kept);
      const ScoredBox& box = boxes[place];
      found[i].push_back({clipped(box.box, static_cast<double>(height), static_cast<double>(width)),
                          box.label, box.score, cells[place]});
    }
  }
  return found;
}

}  // namespace headlight
