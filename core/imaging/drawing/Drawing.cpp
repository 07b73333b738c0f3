// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/drawing/Drawing.h"

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/imaging/Preprocess.h"
#include "core/imaging/drawing/TextPainter.h"

namespace headlight {
namespace {

constexpr int kFractionBits = 4;
constexpr double kPngScale = 2;

cv::Scalar channelsOf(const DrawnColor& color) {
  return {static_cast<double>(color.red), static_cast<double>(color.green),
          static_cast<double>(color.blue)};
}

void drawLine(cv::Mat& pixels, const DrawnLine& line, double scale) {
  std::vector<cv::Point> points;
  for (const auto& [x, y] : line.points)
    points.emplace_back(static_cast<int>(std::lround(x * scale * (1 << kFractionBits))),
                        static_cast<int>(std::lround(y * scale * (1 << kFractionBits))));
  const int thickness = std::max(1, static_cast<int>(std::lround(line.width * scale)));
  if (points.size() == 1)
    cv::circle(pixels, points.front(), (2 * thickness) << kFractionBits, channelsOf(line.color),
               cv::FILLED, cv::LINE_AA, kFractionBits);
  else if (!points.empty())
    cv::polylines(pixels, points, false, channelsOf(line.color), thickness, cv::LINE_AA,
                  kFractionBits);
}

void drawImage(PixelCanvas& canvas, const DrawnImage& drawn, double scale) {
  const int left = static_cast<int>(std::lround(drawn.x * scale));
  const int top = static_cast<int>(std::lround(drawn.y * scale));
  const int width = std::max(1, static_cast<int>(std::lround(drawn.width * scale)));
  const int height = std::max(1, static_cast<int>(std::lround(drawn.height * scale)));
  Image image = drawn.image;
  if (image.width != width || image.height != height)
    image = resize(image, width, height, Interpolation::Bilinear);
  const int from = std::max(0, -left), to = std::min(width, canvas.width - left);
  for (int y = std::max(0, -top); y < height && top + y < canvas.height; ++y)
    if (from < to)
      std::copy(image.row(y) + 3 * from, image.row(y) + 3 * to, canvas.at(left + from, top + y));
}

void drawWords(PixelCanvas& canvas, TextPainter& painter, const DrawnText& words, double scale) {
  const int size = std::max(1, static_cast<int>(std::lround(words.size * scale)));
  const int width = painter.measureWidth(words.text, size);
  int left = static_cast<int>(std::lround(words.x * scale));
  if (words.anchor == DrawnText::Anchor::Middle) left -= width / 2;
  if (words.anchor == DrawnText::Anchor::Right) left -= width;
  painter.draw(canvas, words.text, left, static_cast<int>(std::lround(words.y * scale)), size,
               words.gray);
}

}  // namespace

Image renderPixels(const Drawing& drawing, double scale) {
  PixelCanvas canvas;
  canvas.width = std::max(1, static_cast<int>(std::lround(drawing.width * scale)));
  canvas.height = std::max(1, static_cast<int>(std::lround(drawing.height * scale)));
  canvas.pixels.assign(static_cast<std::size_t>(canvas.width) * canvas.height * 3, 255);
  cv::Mat pixels(canvas.height, canvas.width, CV_8UC3, canvas.pixels.data());
  for (const DrawnImage& image : drawing.images)
    if (!image.image.empty()) drawImage(canvas, image, scale);
  for (const DrawnLine& line : drawing.lines)
    drawLine(pixels, line, scale);
  TextPainter painter;
  for (const DrawnText& words : drawing.texts)
    drawWords(canvas, painter, words, scale);
  return {canvas.width, canvas.height,
          std::make_shared<const std::vector<std::uint8_t>>(std::move(canvas.pixels))};
}

bool isDrawingName(const std::filesystem::path& path) {
  const std::string kind = path.extension().string();
  return kind == ".pdf" || kind == ".svg" || kind == ".png";
}

Result<void> writeDrawing(const std::filesystem::path& path, const Drawing& drawing) {
  if (!isDrawingName(path))
    return Error{ErrorCode::InvalidArgument, tr("must end in .pdf, .svg or .png"), path.string()};
  const std::string kind = path.extension().string();
  if (kind == ".svg") return writeFileAtomically(path, renderSvg(drawing));
  if (kind == ".pdf") return writeFileAtomically(path, renderPdf(drawing));
  const auto png = encodePng(renderPixels(drawing, kPngScale));
  return png ? writeFileAtomically(path, *png) : Result<void>(png.error());
}

}  // namespace headlight
