// SPDX-License-Identifier: GPL-3.0-or-later

// Drawing.h: PDF with Helvetica, which every reader has.

#include <algorithm>
#include <array>

#include "core/base/Utf8.h"
#include "core/imaging/codecs/PngChunks.h"
#include "core/imaging/drawing/Decimals.h"
#include "core/imaging/drawing/Drawing.h"

namespace headlight {
namespace {

constexpr double kPointsAUnit = 72.0 / 96;

/// Letters from ' ' to '~' in thousandths of an em (Adobe's metrics of Helvetica).
constexpr std::array<int, 95> kHelvetica = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

/// Code points of Windows-1252 that are not those of Latin-1.
struct OddLetter {
  char32_t point;
  unsigned char code;
};
constexpr std::array<OddLetter, 9> kOddLetters = {{{0x2026, 0x85},
                                                   {0x2013, 0x96},
                                                   {0x2014, 0x97},
                                                   {0x2212, 0x96},  // a minus: it has none
                                                   {0x2018, 0x91},
                                                   {0x2019, 0x92},
                                                   {0x201c, 0x93},
                                                   {0x201d, 0x94},
                                                   {0x2022, 0x95}}};

char pdfLetter(char32_t point) {
  for (const OddLetter& odd : kOddLetters)
    if (odd.point == point) return static_cast<char>(odd.code);
  const bool plain = (point >= 0x20 && point < 0x7f) || (point >= 0xa0 && point <= 0xff);
  return plain ? static_cast<char>(point) : point < 0x20 ? ' ' : '?';
}

std::string pdfText(const std::string& text) {
  std::string safe = "(";
  for (const char32_t point : codePoints(text)) {
    const char letter = pdfLetter(point);
    if (letter == '(' || letter == ')' || letter == '\\') safe += '\\';
    safe += letter;
  }
  return safe + ")";
}

class PdfPage {
 public:
  explicit PdfPage(const Drawing& drawing) : m_height(drawing.height) {
    m_content += "1 j 1 J\n";
    for (std::size_t i = 0; i < drawing.images.size(); ++i)
      add(drawing.images[i], i);
    for (const DrawnLine& line : drawing.lines)
      add(line);
    for (const DrawnText& words : drawing.texts)
      add(words);
  }
  const std::string& content() const { return m_content; }

 private:
  std::string place(double x, double y) const {
    return decimals(x * kPointsAUnit) + " " + decimals((m_height - y) * kPointsAUnit);
  }

  void add(const DrawnImage& image, std::size_t index) {
    if (image.image.empty()) return;
    m_content += std::string("q ") + decimals(image.width * kPointsAUnit) + " 0 0 " +
                 decimals(image.height * kPointsAUnit) + " " +
                 place(image.x, image.y + image.height) + " cm /I" + std::to_string(index) +
                 " Do Q\n";
  }

  void add(const DrawnLine& line) {
    if (line.points.empty()) return;
    const bool dot = line.points.size() == 1;
    for (const int channel : {line.color.red, line.color.green, line.color.blue})
      m_content += decimals(channel / 255.0) + " ";
    m_content += std::string("RG ") + decimals((dot ? 4 : 1) * line.width * kPointsAUnit) + " w\n";
    m_content += place(line.points[0].first, line.points[0].second) + " m\n";
    for (std::size_t i = dot ? 0 : 1; i < line.points.size(); ++i)
      m_content += place(line.points[i].first, line.points[i].second) + " l\n";
    m_content += "S\n";
  }

  void add(const DrawnText& words) {
    double left = words.x;
    if (words.anchor == DrawnText::Anchor::Middle) left -= textWidth(words.text, words.size) / 2;
    if (words.anchor == DrawnText::Anchor::Right) left -= textWidth(words.text, words.size);
    m_content += std::string("BT ") + decimals(words.gray / 255.0) + " g /F1 " +
                 decimals(words.size * kPointsAUnit) + " Tf " + place(left, words.y) + " Td " +
                 pdfText(words.text) + " Tj ET\n";
  }

  double m_height;
  std::string m_content;
};

constexpr std::size_t kFirstImageObject = 7;

/// A PNG's own compressed rows, which PDF reads as they are (ISO 32000-1, 7.4.4.4).
std::string imageObject(const Image& image) {
  const std::string png = valueOrThrow(encodePng(image));
  std::string rows;
  for (auto chunk = pngChunkAt(png, kPngSignature.size()); chunk;
       chunk = pngChunkAt(png, chunk->end))
    if (chunk->type == "IDAT") rows += chunk->data;
  const std::string width = std::to_string(image.width);
  return std::string("<< /Type /XObject /Subtype /Image /Width ") + width + " /Height " +
         std::to_string(image.height) +
         " /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode /DecodeParms << "
         "/Predictor 15 /Colors 3 /BitsPerComponent 8 /Columns " +
         width + " >> /Length " + std::to_string(rows.size()) + " >>\nstream\n" + rows +
         "\nendstream";
}

/// "/XObject << /I0 7 0 R … >>"; empty where there are no images.
std::string imageNames(const Drawing& drawing) {
  std::string names;
  for (std::size_t i = 0; i < drawing.images.size(); ++i)
    names.append(" /I")
        .append(std::to_string(i))
        .append(" ")
        .append(std::to_string(kFirstImageObject + i))
        .append(" 0 R");
  return names.empty() ? "" : " /XObject <<" + names + " >>";
}

/// Objects of a PDF, numbered from 1, and the table of where they are.
std::string pdfFile(const std::vector<std::string>& objects) {
  std::string file = "%PDF-1.4\n", table;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::string at = std::to_string(file.size());
    table += std::string(10 - std::min<std::size_t>(10, at.size()), '0') + at + " 00000 n \n";
    file += std::to_string(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
  }
  const std::string size = std::to_string(objects.size() + 1), start = std::to_string(file.size());
  return file + "xref\n0 " + size + "\n0000000000 65535 f \n" + table + "trailer\n<< /Size " +
         size + " /Root 1 0 R /Info 6 0 R >>\nstartxref\n" + start + "\n%%EOF\n";
}

}  // namespace

double textWidth(const std::string& text, double size) {
  double width = 0;
  for (const char32_t point : codePoints(text)) {
    const bool known = point >= 0x20 && point < 0x7f;
    width += known ? kHelvetica[static_cast<std::size_t>(point - 0x20)] : 556;
  }
  return width * size / 1000;
}

std::string renderPdf(const Drawing& drawing) {
  const std::string content = PdfPage(drawing).content();
  const std::string box =
      decimals(drawing.width * kPointsAUnit) + " " + decimals(drawing.height * kPointsAUnit);
  std::vector<std::string> objects{
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 " + box +
          "] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >>" + imageNames(drawing) + " >> >>",
      std::string("<< /Length ") + std::to_string(content.size()) + " >>\nstream\n" + content +
          "endstream",
      ("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding "
       "/WinAnsiEncoding >>"),
      std::string("<< /Title ") + pdfText(drawing.title) + " /Creator (Headlight) >>"};
  for (const DrawnImage& image : drawing.images)
    objects.push_back(image.image.empty() ? "null" : imageObject(image.image));
  return pdfFile(objects);
}

}  // namespace headlight
