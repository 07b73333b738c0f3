// SPDX-License-Identifier: GPL-3.0-or-later

// SearchRules.h: the decisions.

#include "core/workbench/search/SearchRules.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/Random.h"
#include "core/base/Text.h"
#include "core/workbench/search/ComparedText.h"

namespace headlight {
namespace {

constexpr std::uint64_t kDealPurpose = 0x65717561;  // "equa"

std::string alsText(double als, std::initializer_list<double> bounds) {
  return "ALS " + comparedText(als, bounds);
}

void setLayer(MaskScheme& scheme, int layer, const HeadMask& mask) {
  for (int head = 0; head < scheme.heads(layer); ++head)
    scheme.set(layer, head, mask);
}

bool isMasked(const MaskScheme& scheme, const HeadPlace& place) {
  return scheme.at(place.layer, place.head).kind != MaskKind::None;
}

std::vector<HeadPlace> maskableHeads(const MaskScheme& scheme) {
  std::vector<HeadPlace> places;
  for (int layer = 0; layer < scheme.maskableLayers(); ++layer)
    for (int head = 0; head < scheme.heads(layer); ++head)
      places.push_back({layer, head});
  return places;
}

}  // namespace

MaskScheme initialScheme(const MaskShape& shape, const HeadMask& mask) {
  MaskScheme scheme(shape, "initial");
  for (int layer = 0; layer < scheme.maskableLayers(); ++layer)
    scheme.set(layer, 0, mask);
  return scheme;
}

SearchStep assignedScheme(const MaskScheme& scheme, const std::vector<std::vector<double>>& als,
                          const SearchOptions& options) {
  const HeadMask mask = valueOrThrow(headMaskFromText(options.mask));
  SearchStep step{scheme, {}};
  step.scheme.setName("assigned");
  for (int layer = 0; layer < scheme.maskableLayers(); ++layer) {
    const double value = als[static_cast<std::size_t>(layer)].front();
    SearchDecision decision{"assign", layer, -1, value, "keep", ""};
    const std::string what =
        alsText(value, {options.removeBelow, options.allAbove}) + " of head 0 is ";
    if (std::isnan(value)) {
      decision.reason = "its maps have no ALS";
    } else if (value > options.allAbove) {
      setLayer(step.scheme, layer, mask);
      decision.action = "mask";
      decision.reason = what + "above " + numberText(options.allAbove);
    } else if (value < options.removeBelow) {
      setLayer(step.scheme, layer, HeadMask());
      decision.action = "unmask";
      decision.reason = what + "below " + numberText(options.removeBelow);
    } else {
      decision.reason =
          what + "from " + numberText(options.removeBelow) + " to " + numberText(options.allAbove);
    }
    step.decisions.push_back(std::move(decision));
  }
  return step;
}

SearchStep calibratedScheme(const MaskScheme& scheme, const std::vector<std::vector<double>>& als,
                            const SearchOptions& options) {
  SearchStep step{scheme, {}};
  step.scheme.setName("found");
  for (const HeadPlace& place : maskableHeads(scheme)) {
    if (!isMasked(scheme, place)) continue;
    const double value =
        als[static_cast<std::size_t>(place.layer)][static_cast<std::size_t>(place.head)];
    const bool falls = value < options.calibrateBelow;
    if (falls) step.scheme.set(place.layer, place.head, HeadMask());
    step.decisions.push_back({"calibrate", place.layer, place.head, value,
                              falls ? "unmask" : "keep",
                              std::isnan(value) ? std::string("its map has no ALS")
                                                : alsText(value, {options.calibrateBelow}) +
                                                      (falls ? " is below " : " is not below ") +
                                                      numberText(options.calibrateBelow)});
  }
  return step;
}

std::vector<HeadPlace> leastImportantFirst(const MaskScheme& scheme,
                                           const std::vector<std::vector<double>>& importance) {
  const auto valueOf = [&](const HeadPlace& place) {
    return importance[static_cast<std::size_t>(place.layer)][static_cast<std::size_t>(place.head)];
  };
  std::vector<HeadPlace> order;
  for (const HeadPlace& place : maskableHeads(scheme))
    if (!isMasked(scheme, place) && !std::isnan(valueOf(place))) order.push_back(place);
  std::stable_sort(order.begin(), order.end(),
                   [&](const HeadPlace& a, const HeadPlace& b) { return valueOf(a) < valueOf(b); });
  return order;
}

MaskScheme dealtAmongEqual(const MaskScheme& scheme, const std::vector<std::int64_t>& cost,
                           std::uint64_t seed) {
  std::map<std::int64_t, std::vector<HeadPlace>> groups;
  for (const HeadPlace& place : maskableHeads(scheme))
    groups[cost[static_cast<std::size_t>(place.layer)]].push_back(place);
  MaskScheme dealt = scheme;
  for (const auto& [each, places] : groups) {
    const auto order =
        permutation(static_cast<std::int64_t>(places.size()),
                    streamKey({seed, kDealPurpose, static_cast<std::uint64_t>(each)}));
    for (std::size_t i = 0; i < places.size(); ++i) {
      const HeadPlace& from = places[static_cast<std::size_t>(order[i])];
      dealt.set(places[i].layer, places[i].head, scheme.at(from.layer, from.head));
    }
  }
  return dealt;
}

}  // namespace headlight
