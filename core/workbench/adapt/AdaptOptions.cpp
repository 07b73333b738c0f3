// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/adapt/AdaptOptions.h"

#include <charconv>
#include <cmath>

#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr std::size_t kMostStrengths = 32;

Error strengthRefusal() {
  return {ErrorCode::InvalidConfig,
          tr("must be numbers above 0 separated by commas, at most 32, such as 0.1,0.01,0.001"),
          ""};
}

Result<void> checkStrengths(const std::string& text) {
  const auto read = readStrengths(text);
  return read ? Result<void>() : Result<void>(read.error());
}

std::string withoutSpaces(const std::string& text) {
  std::string rest;
  for (const char letter : text)
    if (letter != ' ') rest += letter;
  return rest;
}

}  // namespace

Result<std::vector<double>> readStrengths(const std::string& text) {
  const std::string plain = withoutSpaces(text);
  const char *at = plain.data(), *end = at + plain.size();
  std::vector<double> strengths;
  while (true) {
    double value = 0;
    const auto read = std::from_chars(at, end, value);
    const bool usable = read.ec == std::errc() && std::isfinite(value) && value > 0;
    if (!usable || strengths.size() == kMostStrengths) return strengthRefusal();
    strengths.push_back(value);
    if (read.ptr == end) return strengths;
    if (*read.ptr != ',') return strengthRefusal();
    at = read.ptr + 1;
  }
}

const ParameterTable& adaptParameters() {
  using A = AdaptOptions;
  static const ParameterTable table =
      TableBuilder<A>()
          .choice(&A::token, "token", {"model", "token", "mean", "both"},
                  "Features of an image: what the model's own classifier reads, the class token, "
                  "the mean of the patches, or class token and mean side by side.")
          .integer(&A::layers, "layers", 1, 64,
                   "Use the class tokens (or means) of this many last blocks side by side, with "
                   "the mean of the last block for both (DINOv2's linear evaluation). More than 1 "
                   "measures accuracy; such a classifier cannot be saved with the model.")
          .spelled(&A::strengths, "l2", checkStrengths,
                   "L2 penalties of the linear probe to try, on features of variance 1.")
          .number(&A::selection, "selection", 0.05, 0.5,
                  "Share of every class's training images that chooses among the penalties.")
          .integer(&A::neighbors, "neighbors", 1, 10000,
                   "Neighbors that vote in k-NN (k of DINO's evaluation).")
          .number(&A::temperature, "temperature", 0.001, 100,
                  "Temperature of the k-NN votes: a neighbor weighs exp(similarity / T).")
          .integer(&A::images, "images", 0, 1e9,
                   "Use at most this many images of each split, spread over the classes; 0: all.")
          .build();
  return table;
}

}  // namespace headlight
