// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/identify/UnknownParts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMostNamed = 4;

/// The first part of a tensor's name.
constexpr std::array kHeads{"head"sv,       "heads"sv,      "head_dist"sv, "classifier"sv,
                            "fc"sv,         "cls_head"sv,   "mlp_head"sv,  "linear_head"sv,
                            "last_layer"sv, "dino_head"sv,  "ibot_head"sv, "lm_head"sv,
                            "aux_head"sv,   "classifiers"sv};
constexpr std::array kTraining{"mask_token"sv, "predictor"sv, "projector"sv, "projection_head"sv,
                               "criterion"sv,  "loss"sv,      "loss_fn"sv,   "loss_func"sv,
                               "queue"sv,      "queue_ptr"sv, "center"sv,    "metrics"sv};
/// Of MAE: decoder_embed, decoder_blocks, decoder_pos_embed …
constexpr std::string_view kDecoder = "decoder";

std::string_view firstPart(std::string_view name) {
  return name.substr(0, name.find('.'));
}

template <std::size_t size>
bool isOneOf(std::string_view part, const std::array<std::string_view, size>& parts) {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

bool isHead(const std::string& name) {
  return isOneOf(firstPart(name), kHeads);
}

bool isTraining(const std::string& name) {
  const std::string_view part = firstPart(name);
  return part.starts_with(kDecoder) || isOneOf(part, kTraining);
}

std::vector<std::string> takeOut(std::vector<std::string>& names,
                                 bool (*which)(const std::string&)) {
  const auto kept = std::stable_partition(names.begin(), names.end(),
                                          [&](const std::string& name) { return !which(name); });
  std::vector<std::string> taken(kept, names.end());
  names.erase(kept, names.end());
  return taken;
}

}  // namespace

std::vector<std::string> leaveUnknownParts(std::vector<std::string>& unexpected, bool headless) {
  std::vector<std::string> notes;
  const auto head = takeOut(unexpected, isHead), training = takeOut(unexpected, isTraining);
  if (!head.empty() && headless)
    notes.push_back(tr("its head is not known here (") + joined(head, kMostNamed) +
                    tr("): the model opens as features, without classes"));
  else if (!head.empty())
    notes.push_back(tr("left aside, of another head: ") + joined(head, kMostNamed));
  if (!training.empty())
    notes.push_back(tr("left aside, only needed for training: ") + joined(training, kMostNamed));
  return notes;
}

}  // namespace headlight
