// SPDX-License-Identifier: GPL-3.0-or-later

// Drawing.h: SVG.

#include <algorithm>

#include "core/imaging/drawing/Decimals.h"
#include "core/imaging/drawing/Drawing.h"

namespace headlight {
namespace {

std::string svgColor(const DrawnColor& color) {
  return std::string("rgb(") + std::to_string(color.red) + "," + std::to_string(color.green) + "," +
         std::to_string(color.blue) + ")";
}

std::string svgText(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '&')
      safe += "&amp;";
    else if (letter == '<')
      safe += "&lt;";
    else if (letter == '>')
      safe += "&gt;";
    else
      safe += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
  }
  return safe;
}

std::string svgLine(const DrawnLine& line) {
  if (line.points.size() == 1)
    return std::string("<circle cx=\"") + decimals(line.points[0].first) + "\" cy=\"" +
           decimals(line.points[0].second) + "\" r=\"" + decimals(2 * line.width) + "\" fill=\"" +
           svgColor(line.color) + "\"/>\n";
  std::string points;
  for (const auto& [x, y] : line.points)
    points += decimals(x) + "," + decimals(y) + " ";
  return std::string("<polyline points=\"") + points + "\" fill=\"none\" stroke=\"" +
         svgColor(line.color) + "\" stroke-width=\"" + decimals(line.width) +
         "\" stroke-linejoin=\"round\"/>\n";
}

/// RFC 4648.
std::string base64(const std::string& bytes) {
  static constexpr char kLetters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i)
      three = three << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= count ? kLetters[three >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::string svgImage(const DrawnImage& image) {
  const auto png = encodePng(image.image);
  if (!png) return "";
  return std::string("<image x=\"") + decimals(image.x) + "\" y=\"" + decimals(image.y) +
         "\" width=\"" + decimals(image.width) + "\" height=\"" + decimals(image.height) +
         "\" preserveAspectRatio=\"none\" xlink:href=\"data:image/png;base64," + base64(*png) +
         "\"/>\n";
}

std::string svgWords(const DrawnText& words) {
  const char* const anchors[] = {"start", "middle", "end"};
  return std::string("<text x=\"") + decimals(words.x) + "\" y=\"" + decimals(words.y) +
         "\" font-size=\"" + decimals(words.size) + "\" text-anchor=\"" +
         anchors[static_cast<std::size_t>(words.anchor)] + "\" fill=\"" +
         svgColor({words.gray, words.gray, words.gray}) + "\">" + svgText(words.text) + "</text>\n";
}

}  // namespace

std::string renderSvg(const Drawing& drawing) {
  const std::string width = decimals(drawing.width), height = decimals(drawing.height);
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" " +
      std::string(drawing.images.empty() ? "" : "xmlns:xlink=\"http://www.w3.org/1999/xlink\" ") +
      "width=\"" + width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " + height +
      "\" font-family=\"Helvetica, Arial, sans-serif\">\n<title>" + svgText(drawing.title) +
      "</title>\n<rect width=\"100%\" height=\"100%\" " + "fill=\"white\"/>\n";
  for (const DrawnImage& image : drawing.images)
    if (!image.image.empty()) svg += svgImage(image);
  for (const DrawnLine& line : drawing.lines)
    svg += svgLine(line);
  for (const DrawnText& words : drawing.texts)
    svg += svgWords(words);
  return svg + "</svg>\n";
}

}  // namespace headlight
