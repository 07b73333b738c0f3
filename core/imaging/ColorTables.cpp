// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/ColorTables.h"

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <vector>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"

namespace headlight {
namespace {

constexpr std::array<std::uint8_t, 3> kNoNumberColor{128, 128, 128};

ColorTable emptyTable() {
  ColorTable table{};
  table[kNoNumber] = kNoNumberColor;
  return table;
}

ColorTable tableOfOpenCv(int code) {
  cv::Mat ramp(256, 1, CV_8UC1);
  for (int i = 0; i < 256; ++i)
    ramp.at<std::uint8_t>(i) = static_cast<std::uint8_t>(i);
  cv::Mat colors;
  cv::applyColorMap(ramp, colors, code);
  ColorTable table = emptyTable();
  for (int i = 0; i < 256; ++i) {
    const auto& bgr = colors.at<cv::Vec3b>(i);
    table[static_cast<std::size_t>(i)] = {bgr[2], bgr[1], bgr[0]};
  }
  return table;
}

ColorTable grayTable() {
  ColorTable table = emptyTable();
  for (std::size_t i = 0; i < 256; ++i)
    table[i].fill(static_cast<std::uint8_t>(i));
  return table;
}

/// Blue, white, orange: told apart by every common kind of color blindness, and as dark at one end
/// as at the other. Straight lines between five colors.
ColorTable divergingTable() {
  constexpr std::array<std::array<double, 3>, 5> kStops{
      {{13, 62, 122}, {91, 155, 213}, {247, 247, 247}, {240, 150, 50}, {134, 56, 0}}};
  ColorTable table = emptyTable();
  for (std::size_t i = 0; i < 256; ++i) {
    // Entries 127 and 128 are both the neutral color: 0.5 lies between them.
    const double position =
        std::clamp(i < 128 ? i / 127.0 * 2 : 2 + (i - 128.0) / 127.0 * 2, 0.0, 4.0);
    const auto stop = std::min<std::size_t>(static_cast<std::size_t>(position), kStops.size() - 2);
    const double share = position - static_cast<double>(stop);
    for (std::size_t c = 0; c < 3; ++c)
      table[i][c] = static_cast<std::uint8_t>(
          kStops[stop][c] + share * (kStops[stop + 1][c] - kStops[stop][c]) + 0.5);
  }
  return table;
}

/// What a color map is drawn by; in the order of the enum.
struct ColorMapEntry {
  ColorMapInfo info;
  ColorTable (*table)();
};

template <int code>
ColorTable openCvTable() {
  return tableOfOpenCv(code);
}

const std::array<ColorMapEntry, 7> kEntries{{
    {{ColorMap::Viridis, "viridis", 'V'}, openCvTable<cv::COLORMAP_VIRIDIS>},
    {{ColorMap::Cividis, "cividis", 'C'}, openCvTable<cv::COLORMAP_CIVIDIS>},
    {{ColorMap::Inferno, "inferno", 'I'}, openCvTable<cv::COLORMAP_INFERNO>},
    {{ColorMap::Turbo, "turbo", 'T'}, openCvTable<cv::COLORMAP_TURBO>},
    {{ColorMap::Jet, "jet", 'J'}, openCvTable<cv::COLORMAP_JET>},
    {{ColorMap::Gray, "gray", 'G'}, grayTable},
    {{ColorMap::Diverging, "diverging", 'D'}, divergingTable},
}};

}  // namespace

const ColorTable& colorTable(ColorMap map) {
  static const auto tables = [] {
    std::array<ColorTable, kEntries.size()> all;
    for (const ColorMapEntry& entry : kEntries)
      all.at(static_cast<std::size_t>(entry.info.map)) = entry.table();
    return all;
  }();
  return tables.at(static_cast<std::size_t>(map));
}

const std::vector<ColorMapInfo>& colorMaps() {
  static const auto infos = [] {
    std::vector<ColorMapInfo> all;
    for (const ColorMapEntry& entry : kEntries)
      all.push_back(entry.info);
    return all;
  }();
  return infos;
}

const std::string& colorMapName(ColorMap map) {
  return colorMaps().at(static_cast<std::size_t>(map)).name;
}

Result<ColorMap> colorMapFromName(const std::string& name) {
  const std::string present = name == "grey" ? "gray" : name;  // its former spelling
  std::vector<std::string> names;
  for (const ColorMapInfo& known : colorMaps()) {
    if (known.name == present) return known.map;
    names.push_back(known.name);
  }
  return Error{ErrorCode::InvalidArgument,
               tr("unknown color map \"") + name + tr("\"; choose one of ") + joined(names), ""};
}

}  // namespace headlight
