// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/foreign/NameRows.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cctype>

namespace headlight {
namespace {

bool isDigit(char letter) {
  return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}

/// What stood for "#" and "*".
struct Placeholders {
  std::string number, rest;
};

std::optional<Placeholders> matched(std::string_view pattern, std::string_view name) {
  Placeholders found;
  while (!pattern.empty() && pattern != "*") {
    if (name.empty()) return std::nullopt;
    if (pattern.front() == '#') {
      const auto length = std::find_if_not(name.begin(), name.end(), isDigit) - name.begin();
      found.number = name.substr(0, static_cast<std::size_t>(length));
      if (found.number.empty()) return std::nullopt;
      name.remove_prefix(found.number.size());
    } else if (pattern.front() == name.front()) {
      name.remove_prefix(1);
    } else {
      return std::nullopt;
    }
    pattern.remove_prefix(1);
  }
  if (pattern.empty() && !name.empty()) return std::nullopt;
  found.rest = name;
  return found;
}

std::string filled(std::string ours, const Placeholders& found) {
  if (const auto at = ours.find('#'); at != std::string::npos) ours.replace(at, 1, found.number);
  if (ours.ends_with('*')) ours.replace(ours.size() - 1, 1, found.rest);
  return ours;
}

}  // namespace

std::optional<std::string> applyRow(const NameRow& row, std::string_view name) {
  if (const auto whole = matched(row.theirs, name)) return filled(row.ours, *whole);
  for (const std::string_view leaf : {".weight", ".bias"}) {
    if (!name.ends_with(leaf)) continue;
    const auto stem = matched(row.theirs, name.substr(0, name.size() - leaf.size()));
    const bool dropped = row.rule == TensorRule::Drop;  // then `ours` is no name
    if (stem) return filled(row.ours, *stem) + std::string(dropped ? "" : leaf);
  }
  return std::nullopt;
}

at::Tensor* findNamed(Checkpoint& checkpoint, const std::string& name) {
  for (auto& [known, tensor] : checkpoint.tensors)
    if (known == name) return &tensor;
  return nullptr;
}

void eraseNamed(Checkpoint& checkpoint, const std::string& beginning) {
  std::erase_if(checkpoint.tensors,
                [&](const auto& named) { return named.first.starts_with(beginning); });
}

void renameNamed(Checkpoint& checkpoint, const std::string& from, const std::string& to) {
  for (auto& [name, tensor] : checkpoint.tensors)
    if (name == from) name = to;
}

void completeHead(Checkpoint& checkpoint) {
  const at::Tensor* weight = findNamed(checkpoint, "head.weight");
  if (!weight || weight->dim() != 2 || findNamed(checkpoint, "head.bias")) return;
  const at::Tensor zeros = at::zeros({weight->size(0)}, weight->options());
  checkpoint.tensors.emplace_back("head.bias", zeros);
}

}  // namespace headlight
