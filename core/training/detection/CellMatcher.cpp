// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/detection/CellMatcher.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace headlight {
namespace {

constexpr double kOverlapCost = 6, kFarCost = 1e8;

bool isInside(const CellPlace& cell, const PixelBox& box) {
  return cell.x > box.x && cell.y > box.y && cell.x < box.x + box.width &&
         cell.y < box.y + box.height;
}

bool isNear(const CellPlace& cell, const PixelBox& box) {
  const double most = kCenterRadius * cell.stride;
  return std::abs(cell.x - (box.x + box.width / 2)) < most &&
         std::abs(cell.y - (box.y + box.height / 2)) < most;
}

bool isLearned(const LabeledBox& truth) {
  return !truth.crowd && truth.box.width > 0 && truth.box.height > 0;
}

/// BCE(σ(z), 0) = −log(1 − σ(z)).
double softplus(double logit) {
  return std::max(logit, 0.0) + std::log1p(std::exp(-std::abs(logit)));
}

struct PricedCell {
  double cost;
  std::size_t cell;
  bool operator<(const PricedCell& other) const {
    return cost < other.cost || (cost == other.cost && cell < other.cell);
  }
};

class CellMatcher {
 public:
  CellMatcher(const CellImage& image, const LabeledBoxes& truth) : m_image(image), m_truth(truth) {
    for (std::size_t cell = 0; cell < image.places.size(); ++cell)
      if (isCandidate(image.places[cell])) m_candidates.push_back(cell);
    m_owner.assign(image.places.size(), -1);
  }

  std::vector<int> match() {
    for (std::size_t box = 0; box < m_truth.size(); ++box) {
      if (!isLearned(m_truth[box])) continue;
      for (const PricedCell& priced : cheapest(box))
        take(priced.cell, box);
    }
    return std::move(m_owner);
  }

 private:
  bool isCandidate(const CellPlace& place) const {
    return std::any_of(m_truth.begin(), m_truth.end(), [&](const LabeledBox& truth) {
      return isLearned(truth) && (isInside(place, truth.box) || isNear(place, truth.box));
    });
  }

  bool isFar(std::size_t cell, std::size_t box) const {
    const CellPlace& place = m_image.places[cell];
    return !isInside(place, m_truth[box].box) || !isNear(place, m_truth[box].box);
  }

  PixelBox boxOf(std::size_t cell) const {
    const double* at = m_image.corners.data() + 4 * cell;
    return {at[0], at[1], at[2] - at[0], at[3] - at[1]};
  }

  /// 0 for a box that is no number: the loss will say so.
  double overlap(std::size_t cell, std::size_t box) const {
    const double found = overlapOf(boxOf(cell), m_truth[box].box, false);
    return found > 0 ? found : 0;
  }

  double cost(std::size_t cell, std::size_t box) const {
    const std::size_t classes = m_image.logits.size() / m_image.places.size();
    const double logit =
        m_image.logits[cell * classes + static_cast<std::size_t>(m_truth[box].label)];
    const double ofClasses =
        m_image.background[cell] - varifocal(logit, 0) + varifocal(logit, overlap(cell, box));
    const double sides = 1 - generalizedOverlap(boxOf(cell), m_truth[box].box);
    const double all = ofClasses + kOverlapCost * sides + (isFar(cell, box) ? kFarCost : 0);
    return std::isnan(all) ? std::numeric_limits<double>::infinity() : all;
  }

  /// How many cells the box takes.
  std::size_t count(std::size_t box) const {
    std::vector<double> overlaps;
    for (const std::size_t cell : m_candidates)
      if (const double found = overlap(cell, box); found > 0) overlaps.push_back(found);
    const auto most = std::min<std::size_t>(overlaps.size(), kMostCells);
    const auto end = overlaps.begin() + static_cast<std::ptrdiff_t>(most);
    std::partial_sort(overlaps.begin(), end, overlaps.end(), std::greater<>());
    double sum = 0;
    std::for_each(overlaps.begin(), end, [&](double found) { sum += found; });
    return std::max<std::size_t>(static_cast<std::size_t>(sum), 1);
  }

  /// Those that are far are dearer than all others: without need they get no price.
  std::vector<PricedCell> cheapest(std::size_t box) const {
    const std::size_t wanted = std::min(count(box), m_candidates.size());
    std::vector<PricedCell> priced;
    const auto addAll = [&](bool far) {
      for (const std::size_t cell : m_candidates)
        if (isFar(cell, box) == far) priced.push_back({cost(cell, box), cell});
    };
    addAll(false);
    if (priced.size() < wanted) addAll(true);
    std::partial_sort(priced.begin(), priced.begin() + static_cast<std::ptrdiff_t>(wanted),
                      priced.end());
    priced.resize(wanted);
    return priced;
  }

  void take(std::size_t cell, std::size_t box) {
    int& owner = m_owner[cell];
    owner = owner < 0 ? static_cast<int>(box) : cheapestBox(cell);
  }

  int cheapestBox(std::size_t cell) const {
    int best = -1;
    double least = 0;
    for (std::size_t box = 0; box < m_truth.size(); ++box) {
      if (!isLearned(m_truth[box])) continue;
      const double found = cost(cell, box);
      if (best >= 0 && found >= least) continue;
      best = static_cast<int>(box);
      least = found;
    }
    return best;
  }

  const CellImage& m_image;
  const LabeledBoxes& m_truth;
  std::vector<std::size_t> m_candidates;  ///< rising
  std::vector<int> m_owner;               ///< of each cell; -1: none
};

}  // namespace

double varifocal(double logit, double target) {
  constexpr double kShare = 0.75;
  if (target > 0) return target * (softplus(logit) - target * logit);
  const double probability = 1 / (1 + std::exp(-logit));
  return kShare * probability * probability * softplus(logit);
}

std::vector<int> matchCells(const CellImage& image, const LabeledBoxes& truth) {
  return CellMatcher(image, truth).match();
}

}  // namespace headlight
