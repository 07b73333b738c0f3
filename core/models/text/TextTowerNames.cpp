// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/text/TextTowerNames.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>

namespace headlight {
namespace {

constexpr std::string_view kBlocks = "transformer.resblocks.";

struct NamePair {
  std::string_view theirs, ours;
};
constexpr std::array kTopNames{
    NamePair{"token_embedding.", "text_model.embeddings.token_embedding."},
    NamePair{"ln_final.", "text_model.final_layer_norm."}};
constexpr std::array kPartNames{
    NamePair{"ln_1.", "layer_norm1."}, NamePair{"ln_2.", "layer_norm2."},
    NamePair{"attn.out_proj.", "self_attn.out_proj."}, NamePair{"mlp.c_fc.", "mlp.fc1."},
    NamePair{"mlp.c_proj.", "mlp.fc2."}};

std::string renamedBy(std::string_view name, const NamePair* names, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (name.starts_with(names[i].theirs))
      return std::string(names[i].ours) + std::string(name.substr(names[i].theirs.size()));
  return std::string(name);
}

/// Queries, keys and values lie in one tensor.
void addProjections(const std::string& block, std::string_view leaf, const at::Tensor& tensor,
                    NamedTensors& to) {
  if (tensor.dim() < 1 || tensor.size(0) % 3 != 0) return;
  const std::int64_t rows = tensor.size(0) / 3;
  std::int64_t first = 0;
  for (const char* part : {"q_proj.", "k_proj.", "v_proj."}) {
    to.emplace_back(block + "self_attn." + part + std::string(leaf), tensor.narrow(0, first, rows));
    first += rows;
  }
}

/// "transformer.resblocks.3.ln_1.weight".
void addOfBlock(std::string_view name, const at::Tensor& tensor, NamedTensors& to) {
  const std::string_view rest = name.substr(kBlocks.size());
  const std::size_t dot = std::min(rest.find('.'), rest.size() - 1);
  const std::string block = "text_model.encoder.layers." + std::string(rest.substr(0, dot + 1));
  const std::string_view part = rest.substr(dot + 1), fused = "attn.in_proj_";
  if (part.starts_with(fused)) return addProjections(block, part.substr(fused.size()), tensor, to);
  to.emplace_back(block + renamedBy(part, kPartNames.data(), kPartNames.size()), tensor);
}

bool isOpenClip(const NamedTensors& tensors) {
  const auto has = [&](std::string_view wanted) {
    return std::any_of(tensors.begin(), tensors.end(),
                       [&](const auto& named) { return named.first == wanted; });
  };
  return has("token_embedding.weight") && has("transformer.resblocks.0.ln_1.weight");
}

}  // namespace

NamedTensors inTextTowerNames(NamedTensors tensors) {
  if (!isOpenClip(tensors)) return tensors;
  NamedTensors renamed;
  for (const auto& [name, tensor] : tensors)
    if (name.starts_with(kBlocks) && name.size() > kBlocks.size())
      addOfBlock(name, tensor, renamed);
    else if (name == "positional_embedding")
      renamed.emplace_back("text_model.embeddings.position_embedding.weight", tensor);
    else if (name == "text_projection")
      renamed.emplace_back("text_projection.weight", tensor.dim() == 2 ? tensor.t() : tensor);
    else
      renamed.emplace_back(renamedBy(name, kTopNames.data(), kTopNames.size()), tensor);
  return renamed;
}

}  // namespace headlight
