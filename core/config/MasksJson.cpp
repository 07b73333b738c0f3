// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "core/config/MasksJson.h"
#include "core/config/Reading.h"
#include "core/masks/RandomScheme.h"

namespace headlight {
namespace {

constexpr std::uintmax_t kMaxMaskFile = 16u << 20;
/// Layers times heads: more than any model has.
constexpr std::size_t kMaxCells = 65'536;

Result<HeadMask> headMaskAt(const Json& json, const std::string& path) {
  if (!json.is_string())
    return invalidConfig(tr("must be a mask in quotes, such as \"hard:3\""), path);
  auto mask = headMaskFromText(json.get<std::string>());
  if (!mask) return invalidConfig(mask.error().message, path);
  return mask;
}

Result<int> indexAt(const Json& json, const char* key, const std::string& path) {
  if (!json.contains(key) || !json[key].is_number_integer() || json[key] < 0 || json[key] > 100000)
    return invalidConfig(tr("must be a whole number, at least 0"), path + "." + key);
  return json[key].get<int>();
}

std::string textAt(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
}

Result<std::vector<std::vector<HeadMask>>> maskCellsFromJson(const Json& json,
                                                             const std::string& path) {
  if (!json.is_array())
    return invalidConfig(tr("must be a list of layers, each a list of masks"), path);
  std::vector<std::vector<HeadMask>> cells;
  std::size_t count = 0;
  for (std::size_t l = 0; l < json.size(); ++l) {
    const std::string layerPath = path + "[" + std::to_string(l) + "]";
    if (!json[l].is_array())
      return invalidConfig(tr("must be a list of masks, one per head"), layerPath);
    count += std::max<std::size_t>(json[l].size(), 1);
    if (count > kMaxCells)
      return invalidConfig(tr("has more than ") + std::to_string(kMaxCells) +
                               tr(" masks up to here, more than any model has heads"),
                           layerPath);
    cells.emplace_back();
    for (std::size_t h = 0; h < json[l].size(); ++h) {
      auto mask = headMaskAt(json[l][h], layerPath + "[" + std::to_string(h) + "]");
      if (!mask) return mask.error();
      cells.back().push_back(*mask);
    }
  }
  return cells;
}

}  // namespace

const ParameterTable& maskParameters() {
  using M = MaskConfig;
  static const ParameterTable table =
      TableBuilder<M>()
          .text(&M::scheme, "scheme",
                "none, sch1, sch2, sch3, mixed36, hmait, or a custom name together with cells.")
          .integer(&M::window, "window", 1, 255, "Window R of the preset's masks; odd.")
          .number(&M::alpha, "alpha", 1e-6, 1 - 1e-6, "Initial α of the preset's soft masks.")
          .build();
  return table;
}

Result<MaskConfig> maskConfigFromJson(const Json& json, const std::string& path) {
  MaskConfig masks;
  if (auto read = readParameters(maskParameters(), json, &masks, path, {"cells"}); !read)
    return read.error();
  if (masks.window % 2 == 0) return invalidConfig(tr("must be odd"), path + ".window");
  if (!json.contains("cells")) return masks;
  auto cells = maskCellsFromJson(json["cells"], path + ".cells");
  if (!cells) return cells.error();
  masks.cells = std::move(*cells);
  return masks;
}

Json maskConfigToJson(const MaskConfig& masks) {
  if (masks.cells.empty()) return writeParameters(maskParameters(), &masks);
  Json json = {{"scheme", masks.scheme}, {"cells", Json::array()}};
  for (const auto& layer : masks.cells) {
    Json row = Json::array();
    for (const auto& cell : layer)
      row.push_back(toText(cell));
    json["cells"].push_back(row);
  }
  return json;
}

std::string maskFileText(const MaskScheme& scheme) {
  const Json json = {{"masks", maskConfigToJson(describeMasks(scheme))}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json maskEditToJson(const MaskEdit& edit) {
  Json changes = Json::array();
  for (const auto& change : edit.changes)
    changes.push_back({{"layer", change.layer},
                       {"head", change.head},
                       {"from", toText(change.before)},
                       {"to", toText(change.after)}});
  return {{"label", edit.label},
          {"scheme_before", edit.nameBefore},
          {"scheme_after", edit.nameAfter},
          {"changes", changes}};
}

Result<MaskEdit> maskEditFromJson(const Json& json, const std::string& path) {
  if (!json.is_object() || !json.contains("changes") || !json["changes"].is_array())
    return invalidConfig(tr("must be an object with a list of changes"), path);
  MaskEdit edit{
      textAt(json, "label"), {}, textAt(json, "scheme_before"), textAt(json, "scheme_after")};
  for (std::size_t i = 0; i < json["changes"].size(); ++i) {
    const Json& item = json["changes"][i];
    const std::string itemPath = path + ".changes[" + std::to_string(i) + "]";
    if (!item.is_object() || !item.contains("to"))
      return invalidConfig(tr("must be an object with layer, head and to"), itemPath);
    const auto layer = indexAt(item, "layer", itemPath);
    if (!layer) return layer.error();
    const auto head = indexAt(item, "head", itemPath);
    if (!head) return head.error();
    const auto after = headMaskAt(item["to"], itemPath + ".to");
    if (!after) return after.error();
    HeadMask before;
    if (item.contains("from")) {
      const auto read = headMaskAt(item["from"], itemPath + ".from");
      if (!read) return read.error();
      before = *read;
    }
    edit.changes.push_back({*layer, *head, before, *after});
  }
  return edit;
}

Result<MaskScheme> resolveMasks(const MaskConfig& masks, const MaskShape& shape) {
  if (masks.cells.empty()) {
    auto scheme = makeMaskPreset(masks.scheme, shape, masks.window, masks.alpha);
    if (!scheme) return invalidConfig(scheme.error().message, "masks.scheme");
    if (shape.maskableLayers == 0 && masks.scheme != "none")
      return invalidConfig(tr("this model's attention has no logits to mask; use none"),
                           "masks.scheme");
    return scheme;
  }
  const auto& heads = shape.heads;
  if (masks.cells.size() > heads.size())
    return invalidConfig(tr("has masks for layer ") + std::to_string(heads.size()) +
                             tr(", but the model has ") + std::to_string(heads.size()) +
                             tr(" layers, 0 to ") + std::to_string(heads.size() - 1),
                         "masks.cells[" + std::to_string(heads.size()) + "]");
  MaskScheme scheme(shape, masks.scheme);
  for (std::size_t l = 0; l < masks.cells.size(); ++l) {
    if (masks.cells[l].size() > static_cast<std::size_t>(heads[l]))
      return invalidConfig("has " + std::to_string(masks.cells[l].size()) +
                               tr(" masks, but the layer has ") + std::to_string(heads[l]) +
                               " heads",
                           "masks.cells[" + std::to_string(l) + "]");
    for (std::size_t h = 0; h < masks.cells[l].size(); ++h) {
      if (static_cast<int>(l) >= shape.maskableLayers && masks.cells[l][h].kind != MaskKind::None)
        return invalidConfig(tr("cannot be masked: this layer's attention has no logits on a grid"),
                             "masks.cells[" + std::to_string(l) + "][" + std::to_string(h) + "]");
      scheme.set(l, h, masks.cells[l][h]);
    }
  }
  return scheme;
}

MaskConfig describeMasks(const MaskScheme& scheme) {
  MaskConfig masks;
  masks.scheme = scheme.name();
  HeadMask first;
  for (int l = scheme.layers() - 1; l >= 0; --l)
    for (int h = 0; h < scheme.heads(l); ++h)
      if (scheme.at(l, h).kind != MaskKind::None) first = scheme.at(l, h);
  // The star of changed values is not written: it follows from them.
  const std::string base = withoutStar(scheme.name());
  const auto preset = makeMaskPreset(base, scheme.shape(), first.window, first.alpha);
  const bool named = preset && (scheme.name() == base || scheme.name() == preset->name());
  if (named && *preset == scheme) {
    masks.scheme = base;
    masks.window = first.window;
    masks.alpha = first.alpha;
    return masks;
  }
  for (int l = 0; l < scheme.layers(); ++l)
    masks.cells.push_back(scheme.layer(l));
  return masks;
}

std::string masksTitle(const MaskConfig& masks) {
  if (!masks.cells.empty()) return masks.scheme;
  // Which values a preset takes is the same for every shape in which it masks all kinds of layers.
  const MaskShape any(std::vector<int>(24, 3));
  const auto preset = makeMaskPreset(masks.scheme, any, masks.window, masks.alpha);
  return preset ? schemeTitle(*preset) : masks.scheme;
}

Result<MaskConfig> maskConfigFromText(const std::string& text, const std::string& where) {
  const auto json = parseConfigJson(text, where, kMaxMaskFile);
  if (!json) return json.error();
  if (!json->is_object()) return invalidConfig(tr("is not a JSON object"), where);
  auto read = maskConfigFromJson(json->contains("masks") ? (*json)["masks"] : *json, "masks");
  if (!read) return invalidConfig(read.error().text(), where);
  return read;
}

bool isMaskPreset(const std::string& name) {
  const auto& presets = maskPresetNames();
  return std::find(presets.begin(), presets.end(), name.substr(0, name.find(':'))) != presets.end();
}

namespace {

/// "strict:natten7d2", "decay:0.9": one mask, and no file of that name.
bool isOneMask(const std::string& name) {
  const auto& kinds = maskKindNames();
  return name.find(':') != std::string::npos && !isThere(name) &&
         std::find(kinds.begin() + 1, kinds.end(), name.substr(0, name.find(':'))) != kinds.end();
}

/// Every head that can be masked has it.
Result<MaskScheme> schemeOfOneMask(const std::string& text, const MaskShape& shape) {
  const auto mask = headMaskFromText(text);
  if (!mask) return mask.error();
  if (shape.maskableLayers == 0)
    return invalidConfig(tr("this model's attention has no logits to mask; use none"), text);
  MaskScheme scheme(shape, shortText(*mask));
  for (int l = 0; l < shape.maskableLayers; ++l)
    for (int h = 0; h < scheme.heads(l); ++h)
      scheme.set(l, h, *mask);
  return scheme;
}

}  // namespace

Result<MaskScheme> masksFromNameOrFile(const std::string& nameOrFile, const MaskShape& shape) {
  if (const auto like = randomLikeFromText(nameOrFile)) {
    auto base = masksFromNameOrFile(like->base, shape);
    return base ? randomScheme(*like, *base, nameOrFile) : base;
  }
  const auto colon = nameOrFile.find(':');
  MaskConfig masks;
  masks.scheme = nameOrFile.substr(0, colon);
  if (isMaskPreset(nameOrFile)) {
    if (colon != std::string::npos) {
      const auto mask = headMaskFromText("hard" + nameOrFile.substr(colon));
      if (!mask) return mask.error();
      if (!mask->region.isPlain())
        return invalidConfig(tr("a preset takes an odd window alone, such as sch2:5"), nameOrFile);
      masks.window = mask->window;
    }
    return resolveMasks(masks, shape);
  }
  if (isOneMask(nameOrFile)) return schemeOfOneMask(nameOrFile, shape);
  if (!isThere(nameOrFile))
    return invalidConfig(
        tr("is neither a mask scheme (none, sch1, sch2, sch3, mixed36, hmait), nor a mask for all "
           "heads, such as decay:0.9, nor a file"),
        nameOrFile);
  auto text = readFile(nameOrFile, kMaxMaskFile);
  if (!text) return text.error();
  const auto read = maskConfigFromText(*text, nameOrFile);
  if (!read) return read.error();
  return resolveMasks(*read, shape);
}

}  // namespace headlight
