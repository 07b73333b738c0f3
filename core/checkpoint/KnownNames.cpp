// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/KnownNames.h"

#include <algorithm>

namespace headlight {
namespace {

constexpr std::size_t kMostPrefixes = 64;

/// Sorted, so that a beginning is found without looking at all.
class SortedNames {
 public:
  explicit SortedNames(const std::vector<std::string>& names)
      : m_names(names.begin(), names.end()) {
    std::sort(m_names.begin(), m_names.end());
  }

  bool begin(const std::string& with) const {
    const auto found = std::lower_bound(m_names.begin(), m_names.end(), std::string_view(with));
    return found != m_names.end() && found->starts_with(with);
  }

 private:
  std::vector<std::string_view> m_names;
};

/// Whether `text` ends with `end`, at its beginning or behind a '.'.
bool endsWithPart(std::string_view text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  return text.size() == end.size() || text[text.size() - end.size() - 1] == '.';
}

std::string_view withoutOwn(std::string_view prefix, const KnownNames& family) {
  for (const std::string& own : family.own)
    if (endsWithPart(prefix, own)) return prefix.substr(0, prefix.size() - own.size());
  return prefix;
}

bool isModel(const std::string& tower, const KnownNames& family, const SortedNames& names) {
  return std::any_of(family.beginnings.begin(), family.beginnings.end(),
                     [&](const std::string& begin) { return names.begin(tower + begin); });
}

}  // namespace

const std::vector<KnownNames>& knownNames() {
  static const std::vector<KnownNames> known{
      // timm's ViT and its kin, CaiT, ConViT; Swin; MViT. DINOv2's trainer counts blocks twice.
      {"patch_embed.proj.weight",
       {"blocks.0.", "layers.0.blocks.0.", "stages.0.blocks.0.", "blocks_token_only.0."}},
      {"stem.conv1.linear.weight", {"stages.0.blocks.0."}},             // timm's LeViT
      {"patch_embed.0.c.weight", {"blocks.0."}},                        // LeViT's authors'
      {"patch_embed.projection.weight", {"layers.0."}, {"backbone."}},  // mmpretrain's
      {"features.0.0.weight", {"features.1.0.attn."}},                  // torchvision's Swin
      {"conv_proj.weight", {"encoder.layers.encoder_layer_0."}},        // torchvision's ViT
      {"to_patch_embedding.2.weight", {"transformer.layers.0.0."}},     // vit-pytorch's
      {"conv1.weight", {"transformer.resblocks.0."}, {"visual."}},  // CLIP's authors', open_clip's
      {"embeddings.patch_embedding.weight", {"encoder.layers.0."}, {"vision_model."}},
      {"embeddings.patch_embeddings.weight", {"layer.0.", "layers.0."}, {}},
      {"embeddings.patch_embeddings.projection.weight",
       {"encoder.layer.0.", "encoder.layers.0.", "layer.0.", "layers.0."},
       {"vit.", "deit.", "beit.", "data2vec_vision.", "dinov2.", "dinov2_with_registers.", "ijepa.",
        "swin.", "swinv2.", "yolos.", "vit_mae.", "vit_msn."}},
  };
  return known;
}

std::vector<std::string> knownPrefixes(const std::vector<std::string>& names,
                                       const std::vector<KnownNames>& families) {
  const SortedNames sorted(names);
  std::vector<std::string> prefixes;
  for (const std::string& name : names)
    for (const KnownNames& family : families) {
      if (prefixes.size() >= kMostPrefixes || !endsWithPart(name, family.anchor)) continue;
      const std::string tower =
          name.substr(0, name.size() - std::string_view(family.anchor).size());
      const std::string prefix(withoutOwn(tower, family));
      if (std::find(prefixes.begin(), prefixes.end(), prefix) != prefixes.end()) continue;
      if (isModel(tower, family, sorted)) prefixes.push_back(prefix);
    }
  return prefixes;
}

}  // namespace headlight
