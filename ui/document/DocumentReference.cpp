// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/DocumentReference.h"

#include <limits>

namespace headlight {
namespace {

constexpr std::array kMaskNames{"present", "reference", "unmasked", "own", "named"};
constexpr std::array kSideNames{"left", "right"};

[[noreturn]] void failAt(const std::string& path, const std::string& message) {
  throw Failure({ErrorCode::InvalidConfig, message, "compare." + path});
}

QString readSideText(const Json& side, const char* key, const std::string& path) {
  if (!side.contains(key)) return {};
  if (!side[key].is_string()) failAt(path + key, "must be a string");
  return QString::fromStdString(side[key].get<std::string>());
}

SideMasks readSideMasks(const Json& side, SideMasks otherwise, const std::string& path) {
  const QString name = readSideText(side, "masks", path);
  for (std::size_t i = 0; i < kMaskNames.size(); ++i)
    if (name == QLatin1String(kMaskNames[i])) return static_cast<SideMasks>(i);
  if (name.isEmpty()) return otherwise;
  failAt(path + "masks", "must be present, reference, unmasked, own or named");
}

CompareSide readCompareSide(const Json& json, const char* name, const CompareSide& otherwise) {
  if (!json.contains(name)) return otherwise;
  const Json& side = json[name];
  if (!side.is_object()) failAt(name, "must be an object");
  const std::string path = std::string(name) + ".";
  return {readSideText(side, "model", path), readSideMasks(side, otherwise.masks, path),
          readSideText(side, "scheme", path), readSideText(side, "picture", path)};
}

void readSwitch(const Json& json, const char* key, bool& value) {
  if (!json.contains(key)) return;
  if (!json[key].is_boolean()) failAt(key, "must be true or false");
  value = json[key].get<bool>();
}

int readPlaceNumber(const Json& place, const char* key, int least) {
  const std::string path = std::string("place.") + key;
  if (!place.contains(key)) failAt(path, "is missing");
  const Json& item = place[key];
  if (!item.is_number_integer() || item < least || item > std::numeric_limits<int>::max())
    failAt(path, "must be a whole number, at least " + std::to_string(least));
  return item.get<int>();
}

std::optional<CompareSidePlace> readSidePlace(const Json& json) {
  if (!json.contains("place")) return std::nullopt;
  const Json& place = json["place"];
  if (!place.is_object()) failAt("place", "must be an object");
  return CompareSidePlace{readPlaceNumber(place, "layer", 0), readPlaceNumber(place, "head", -1),
                          readPlaceNumber(place, "query", 0)};
}

Json sideToJson(const CompareSide& side) {
  Json json = {{"masks", kMaskNames[static_cast<std::size_t>(side.masks)]}};
  if (!side.model.isEmpty()) json["model"] = side.model.toStdString();
  if (!side.scheme.isEmpty()) json["scheme"] = side.scheme.toStdString();
  if (!side.image.isEmpty()) json["picture"] = side.image.toStdString();
  return json;
}

}  // namespace

Json comparisonToJson(const Comparison& comparison) {
  Json json = {{kSideNames[0], sideToJson(comparison.sides[0])},
               {kSideNames[1], sideToJson(comparison.sides[1])},
               {"linked", comparison.linked},
               {"difference", comparison.difference},
               {"other_way", comparison.otherExplanation}};
  if (const auto& place = comparison.place)
    json["place"] = {{"layer", place->layer}, {"head", place->head}, {"query", place->query}};
  return json;
}

Result<Comparison> comparisonFromJson(const Json& json) {
  return guarded("compare", [&]() -> Comparison {
    if (!json.is_object())
      throw Failure({ErrorCode::InvalidConfig, "must be an object", "compare"});
    Comparison comparison;
    for (std::size_t i = 0; i < kSideNames.size(); ++i)
      comparison.sides[i] = readCompareSide(json, kSideNames[i], comparison.sides[i]);
    readSwitch(json, "linked", comparison.linked);
    readSwitch(json, "difference", comparison.difference);
    readSwitch(json, "other_way", comparison.otherExplanation);
    comparison.place = readSidePlace(json);
    return comparison;
  });
}

}  // namespace headlight
