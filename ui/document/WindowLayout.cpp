// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/WindowLayout.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace headlight {
namespace {

constexpr int kMostPixels = 32767;  ///< X11 and Qt place no window beyond
constexpr int kDeepest = 8;
constexpr int kMostParts = 64;

constexpr std::array<std::pair<const char*, Qt::DockWidgetArea>, 4> kAreas{
    {{"left", Qt::LeftDockWidgetArea},
     {"right", Qt::RightDockWidgetArea},
     {"top", Qt::TopDockWidgetArea},
     {"bottom", Qt::BottomDockWidgetArea}}};

constexpr std::array<std::pair<const char*, LayoutPart::Kind>, 3> kGroups{
    {{"row", LayoutPart::Kind::Row},
     {"column", LayoutPart::Kind::Column},
     {"tabs", LayoutPart::Kind::Tabs}}};

[[noreturn]] void refuseLayout(const std::string& message, const std::string& path) {
  throw Failure({ErrorCode::InvalidConfig, message, path});
}

void requireSize(const QSize& size, const std::string& path) {
  if (size.width() < -1 || size.height() < -1 || size.width() > kMostPixels ||
      size.height() > kMostPixels)
    refuseLayout("is not a valid size", path);
}

void requireRect(const QRect& rect, const std::string& path) {
  if (std::abs(rect.right()) > 2 * kMostPixels || std::abs(rect.bottom()) > 2 * kMostPixels)
    refuseLayout("is not a valid position", path);
  requireSize(rect.size(), path);
  if (rect.width() < 1 || rect.height() < 1 || std::abs(rect.x()) > kMostPixels ||
      std::abs(rect.y()) > kMostPixels)
    refuseLayout("is not a valid position", path);
}

/// The areas and docks read so far.
struct LayoutTally {
  QStringList docks;
  int parts = 0;
};

void requireDock(const LayoutPart& part, const std::string& path, LayoutTally& tally) {
  if (!knownDocks().contains(part.dock)) refuseLayout("names an unknown dock", path);
  if (tally.docks.contains(part.dock))
    refuseLayout("has the dock " + part.dock.toStdString() + " twice", path);
  tally.docks << part.dock;
  if (part.floating) requireRect(*part.floating, path + ".floating");
}

void requirePart(const LayoutPart& part, const std::string& path, LayoutTally& tally, int depth) {
  if (depth > kDeepest || ++tally.parts > kMostParts)
    refuseLayout("has more parts than there are docks", path);
  if (part.size < -1 || part.size > kMostPixels)
    refuseLayout("is not a valid size", path + ".size");
  if (part.kind == LayoutPart::Kind::Dock) return requireDock(part, path, tally);
  if (part.parts.empty()) refuseLayout("contains no dock", path);
  for (const LayoutPart& inner : part.parts) {
    if (part.kind == LayoutPart::Kind::Tabs && inner.kind != LayoutPart::Kind::Dock)
      refuseLayout("has tabs that are not docks", path);
    requirePart(inner, path, tally, depth + 1);
  }
}

const Json& requireMember(const Json& json, const char* key, const std::string& path) {
  if (!json.is_object() || !json.contains(key)) refuseLayout("is missing", path + "." + key);
  return json[key];
}

int pixelsFrom(const Json& json, const std::string& path) {
  if (!json.is_number_integer() || json < -kMostPixels || json > kMostPixels)
    refuseLayout("must be a whole number of pixels", path);
  return json.get<int>();
}

template <std::size_t Count>
std::array<int, Count> numbersFrom(const Json& json, const std::string& path) {
  if (!json.is_array() || json.size() != Count)
    refuseLayout("must be " + std::to_string(Count) + " whole numbers", path);
  std::array<int, Count> numbers{};
  for (std::size_t i = 0; i < Count; ++i)
    numbers[i] = pixelsFrom(json[i], path);
  return numbers;
}

QSize sizeFrom(const Json& json, const std::string& path) {
  const auto [width, height] = numbersFrom<2>(json, path);
  return {width, height};
}

QRect rectFrom(const Json& json, const std::string& path) {
  const auto [x, y, width, height] = numbersFrom<4>(json, path);
  return {x, y, width, height};
}

Json sizeToJson(const QSize& size) {
  return {size.width(), size.height()};
}

Json rectToJson(const QRect& rect) {
  return {rect.x(), rect.y(), rect.width(), rect.height()};
}

bool flagFrom(const Json& json, const char* key, const std::string& path) {
  if (!json.contains(key)) return false;
  if (!json[key].is_boolean()) refuseLayout("must be true or false", path + "." + key);
  return json[key].get<bool>();
}

QString nameFrom(const Json& json, const std::string& path) {
  if (!json.is_string()) refuseLayout("must be a string", path);
  return QString::fromStdString(json.get<std::string>());
}

LayoutPart dockFrom(const Json& json, const std::string& path) {
  LayoutPart part;
  part.dock = nameFrom(requireMember(json, "dock", path), path + ".dock");
  part.visible = !flagFrom(json, "closed", path);
  if (json.contains("floating")) part.floating = rectFrom(json["floating"], path + ".floating");
  return part;
}

/// `depth` is bounded here too: the text may be as deep as it likes.
LayoutPart partFrom(const Json& json, const std::string& path, int depth) {
  if (!json.is_object()) refuseLayout("must be an object", path);
  if (depth > kDeepest) refuseLayout("has more parts than there are docks", path);
  LayoutPart part;
  const auto group = std::find_if(kGroups.begin(), kGroups.end(),
                                  [&](const auto& one) { return json.contains(one.first); });
  if (group == kGroups.end()) {
    part = dockFrom(json, path);
  } else {
    const Json& parts = json[group->first];
    const std::string place = path + "." + group->first;
    if (!parts.is_array() || parts.size() > kMostParts) refuseLayout("must be a list", place);
    part.kind = group->second;
    for (const Json& inner : parts)
      part.parts.push_back(partFrom(inner, place, depth + 1));
    if (json.contains("current")) part.current = nameFrom(json["current"], path + ".current");
  }
  if (json.contains("size")) part.size = pixelsFrom(json["size"], path + ".size");
  return part;
}

Json partToJson(const LayoutPart& part) {
  Json json = Json::object();
  if (part.kind == LayoutPart::Kind::Dock) {
    json["dock"] = part.dock.toStdString();
    if (!part.visible) json["closed"] = true;
    if (part.floating) json["floating"] = rectToJson(*part.floating);
  }
  for (const auto& [name, kind] : kGroups) {
    if (part.kind != kind) continue;
    json[name] = Json::array();
    for (const LayoutPart& inner : part.parts)
      json[name].push_back(partToJson(inner));
    if (!part.current.isEmpty()) json["current"] = part.current.toStdString();
  }
  if (part.size >= 0) json["size"] = part.size;
  return json;
}

}  // namespace

const QStringList& knownDocks() {
  static const QStringList names{QStringLiteral("gallery"), QStringLiteral("masks"),
                                 QStringLiteral("training"), QStringLiteral("heads"),
                                 QStringLiteral("prediction")};
  return names;
}

void requireSound(const WindowLayout& layout, const std::string& path) {
  LayoutTally tally;
  Qt::DockWidgetAreas seen;
  for (const LayoutArea& area : layout.areas) {
    const bool isArea = std::any_of(kAreas.begin(), kAreas.end(),
                                    [&](const auto& one) { return one.second == area.area; });
    if (!isArea || seen.testFlag(area.area)) refuseLayout("has an area twice", path);
    seen |= area.area;
    requireSize(area.size, path);
    if (area.docks.kind != LayoutPart::Kind::Row && area.docks.kind != LayoutPart::Kind::Column)
      refuseLayout("must be a row or a column of docks", path);
    requirePart(area.docks, path, tally, 0);
  }
  requireSize(layout.center, path + ".center");
}

void requireSound(const WindowPlace& place, const std::string& path) {
  requireRect(place.normal, path + ".normal");
  requireRect(place.shown, path + ".shown");
  if (place.screen < -1 || place.screen > kMostPixels || place.screenWidth < 0 ||
      place.screenWidth > kMostPixels)
    refuseLayout("is not on any screen", path);
}

Json layoutToJson(const WindowLayout& layout) {
  Json areas = Json::object();
  for (const LayoutArea& area : layout.areas)
    for (const auto& [name, which] : kAreas)
      if (area.area == which)
        areas[name] = {{"size", sizeToJson(area.size)}, {"docks", partToJson(area.docks)}};
  return {
      {"version", WindowLayout::kVersion}, {"center", sizeToJson(layout.center)}, {"areas", areas}};
}

WindowLayout layoutFromJson(const Json& json, const std::string& path) {
  if (requireMember(json, "version", path) != WindowLayout::kVersion)
    refuseLayout("comes from another version of Headlight", path + ".version");
  WindowLayout layout;
  layout.center = sizeFrom(requireMember(json, "center", path), path + ".center");
  const Json& areas = requireMember(json, "areas", path);
  for (const auto& [name, which] : kAreas) {
    if (!areas.is_object()) refuseLayout("must be an object", path + ".areas");
    if (!areas.contains(name)) continue;
    const std::string place = path + ".areas." + name;
    layout.areas.push_back(
        {which, sizeFrom(requireMember(areas[name], "size", place), place + ".size"),
         partFrom(requireMember(areas[name], "docks", place), place + ".docks", 0)});
  }
  requireSound(layout, path);
  return layout;
}

Json placeToJson(const WindowPlace& place) {
  Json json = {{"normal", rectToJson(place.normal)},
               {"shown", rectToJson(place.shown)},
               {"screen", place.screen},
               {"screen_width", place.screenWidth}};
  if (place.maximized) json["maximized"] = true;
  if (place.fullScreen) json["full_screen"] = true;
  return json;
}

WindowPlace placeFromJson(const Json& json, const std::string& path) {
  WindowPlace place;
  place.normal = rectFrom(requireMember(json, "normal", path), path + ".normal");
  place.shown = rectFrom(requireMember(json, "shown", path), path + ".shown");
  place.screen = pixelsFrom(requireMember(json, "screen", path), path + ".screen");
  place.screenWidth = pixelsFrom(requireMember(json, "screen_width", path), path + ".screen_width");
  place.maximized = flagFrom(json, "maximized", path);
  place.fullScreen = flagFrom(json, "full_screen", path);
  requireSound(place, path);
  return place;
}

}  // namespace headlight
