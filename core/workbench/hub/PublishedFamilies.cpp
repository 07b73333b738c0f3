// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/PublishedFamilies.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/models/Registry.h"

namespace headlight {
namespace {

/// `parts` are parts of names, with spaces between them; a ^ is a name's beginning.
struct FamilyRow {
  const char *parts, *title, *paper;
};

/// The first that fits. They are listed in this order, but for kFirst and the very small ones.
constexpr std::array kFamilies{
    FamilyRow{"micro ^test_vit", "Very small", "for tests and first steps"},
    FamilyRow{"^masked_cait ^h_mait ^mait", "MaiT", "Li et al. 2022"},
    FamilyRow{"^castling ^lcnet ^esnet ^vit_segmenter", "Castling-ViT", "You et al. 2023"},
    FamilyRow{"^vit_lsla", "ViT-LSLA", "Hechen et al. 2022"},
    FamilyRow{"^aft", "AFT", "Zhai et al. 2021"},
    FamilyRow{"^lambda", "Lambda Networks", "Bello 2021"},
    FamilyRow{"^ibit", "IBiT",
              "Utilizing Inductive Biases to Create a More Data Efficient Attention Mechanism"},
    FamilyRow{"^deit3", "DeiT III", "Touvron et al. 2022"},
    FamilyRow{"^deit", "DeiT", "Touvron et al. 2021"},
    FamilyRow{"dinov3", "DINOv3", "Siméoni et al. 2025"},
    FamilyRow{"reg4_dinov2", "DINOv2 with registers", "Darcet et al. 2024"},
    FamilyRow{"dinov2", "DINOv2", "Oquab et al. 2023"},
    FamilyRow{"tipsv2", "TIPSv2", ""},
    FamilyRow{"siglip", "SigLIP, SigLIP 2", "Zhai et al. 2023, Tschannen et al. 2025"},
    FamilyRow{"^eva02", "EVA-02", "Fang et al. 2023"},
    FamilyRow{"^eva", "EVA", "Fang et al. 2022"},
    FamilyRow{"clip", "CLIP, OpenCLIP", "Radford et al. 2021, Cherti et al. 2022"},
    FamilyRow{"^beitv2", "BEiT v2", "Peng et al. 2022"},
    FamilyRow{"^beit3", "BEiT-3", "Wang et al. 2022"},
    FamilyRow{"^beit", "BEiT", "Bao et al. 2021"},
    FamilyRow{"^vit_pe_", "Perception Encoder", "Bolya et al. 2025"},
    FamilyRow{"^aimv2", "AIMv2", "Fini et al. 2024"},
    FamilyRow{"intern300m", "InternViT", "Chen et al. 2023"},
    FamilyRow{"^flexivit", "FlexiViT", "Beyer et al. 2022"},
    FamilyRow{"rope_224 rope_mixed rope_ape", "RoPE-ViT", "Heo et al. 2024"},
    FamilyRow{"^mae", "MAE", "He et al. 2022"},
    FamilyRow{"^swin", "Swin", "Liu et al. 2021"},
    FamilyRow{"^cait", "CaiT", "Touvron et al. 2021"},
    FamilyRow{"^convit", "ConViT", "d'Ascoli et al. 2021"},
    FamilyRow{"^levit", "LeViT", "Graham et al. 2021"},
    FamilyRow{"^mvitv2", "MViTv2", "Li et al. 2022"},
    FamilyRow{"_gap_ _reg _map_ _plus_ miil rpn 36x1", "ViT, timm's variants", "Wightman 2019"},
    FamilyRow{"^vit", "ViT", "Dosovitskiy et al. 2021"},
};

/// The titles that come first; the very small ones come last.
constexpr std::array kFirst{"ViT", "DeiT", "DINOv2", "DINOv2 with registers", "DINOv3"};

constexpr std::array kCommon{
    "deit_tiny_patch16_224",     "deit_small_patch16_224",        "deit_base_patch16_224",
    "vit_small_patch16_224",     "vit_base_patch16_224",          "vit_small_patch14_dinov2",
    "vit_base_patch14_dinov2",   "vit_small_patch14_reg4_dinov2", "vit_base_patch16_dinov3",
    "vit_base_patch16_clip_224", "swin_tiny_patch4_window7_224",
};

bool fits(const std::string& name, std::string_view parts) {
  while (!parts.empty()) {
    const std::string_view part = parts.substr(0, parts.find(' '));
    if (part[0] == '^' ? name.starts_with(part.substr(1)) : name.find(part) != std::string::npos)
      return true;
    parts.remove_prefix(std::min(parts.size(), part.size() + 1));
  }
  return false;
}

/// Smaller comes first.
std::size_t placeInList(const FamilyRow& row) {
  const auto first = std::find(kFirst.begin(), kFirst.end(), std::string_view(row.title));
  if (first != kFirst.end()) return static_cast<std::size_t>(first - kFirst.begin());
  const auto index = static_cast<std::size_t>(&row - kFamilies.data());
  return index == 0 ? 2 * kFamilies.size() : kFirst.size() + index;
}

const FamilyRow* findFamily(const std::string& name) {
  const auto found = std::find_if(kFamilies.begin(), kFamilies.end(),
                                  [&](const FamilyRow& row) { return fits(name, row.parts); });
  return found == kFamilies.end() ? nullptr : &*found;
}

PublishedFamily makeFamily(const FamilyRow& row) {
  PublishedFamily family{row.title, row.paper, {}};
  for (const PublishedModel& model : publishedModels())
    if (findFamily(model.name) == &row) family.models.push_back(&model);
  return family;
}

std::vector<PublishedFamily> makeFamilies() {
  std::vector<const FamilyRow*> rows;
  for (const FamilyRow& row : kFamilies)
    rows.push_back(&row);
  std::sort(rows.begin(), rows.end(), [](const FamilyRow* a, const FamilyRow* b) {
    return placeInList(*a) < placeInList(*b);
  });
  std::vector<PublishedFamily> families;
  for (const FamilyRow* row : rows)
    families.push_back(makeFamily(*row));
  std::erase_if(families, [](const PublishedFamily& family) { return family.models.empty(); });
  return families;
}

}  // namespace

const std::vector<PublishedFamily>& publishedFamilies() {
  static const std::vector<PublishedFamily> families = makeFamilies();
  return families;
}

std::vector<const PublishedModel*> commonModels() {
  std::vector<const PublishedModel*> models;
  for (const char* name : kCommon)
    if (const PublishedModel* model = findPublishedModel(name)) models.push_back(model);
  return models;
}

}  // namespace headlight
