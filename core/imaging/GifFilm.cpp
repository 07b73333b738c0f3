#include "core/imaging/GifFilm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/Result.h"

namespace headlight {
namespace {

using GifColor = std::array<std::uint8_t, 3>;

constexpr int kCellBits = 5, kCells = 1 << (3 * kCellBits);  // 32 shades of each channel
constexpr std::size_t kGifColors = 256;
constexpr int kMostCodes = 4096, kFirstCodeBits = 9, kClearCode = 256, kEndCode = 257;

void addNumber(std::string& bytes, int value) {
  bytes += static_cast<char>(value & 255);
  bytes += static_cast<char>(value >> 8 & 255);
}

int colorCellOf(const std::uint8_t* pixel) {
  constexpr int kShift = 8 - kCellBits;
  return (pixel[0] >> kShift) << (2 * kCellBits) | (pixel[1] >> kShift) << kCellBits |
         pixel[2] >> kShift;
}

/// Colours that are near each other in a picture, with how often each comes.
struct ColorCell {
  int cell = 0;
  std::int64_t count = 0;
  std::array<std::int64_t, 3> sums = {};
  int mean(int channel) const {
    return static_cast<int>(sums[static_cast<std::size_t>(channel)] / count);
  }
};

std::vector<ColorCell> cellsOf(const std::vector<std::uint8_t>& pixels) {
  std::vector<ColorCell> all(kCells);
  for (std::size_t i = 0; i + 2 < pixels.size(); i += 3) {
    ColorCell& cell = all[static_cast<std::size_t>(colorCellOf(&pixels[i]))];
    ++cell.count;
    for (std::size_t c = 0; c < 3; ++c)
      cell.sums[c] += pixels[i + c];
  }
  std::vector<ColorCell> used;
  for (int i = 0; i < kCells; ++i)
    if (all[static_cast<std::size_t>(i)].count > 0) {
      used.push_back(all[static_cast<std::size_t>(i)]);
      used.back().cell = i;
    }
  return used;
}

/// A part of the cells, and the channel in which they differ most.
struct ColorBox {
  std::size_t begin = 0, end = 0;
  int channel = 0, spread = 0;
};

ColorBox boxOf(const std::vector<ColorCell>& cells, std::size_t begin, std::size_t end) {
  ColorBox box{begin, end, 0, -1};
  for (int c = 0; c < 3; ++c) {
    int low = 255, high = 0;
    for (std::size_t i = begin; i < end; ++i) {
      low = std::min(low, cells[i].mean(c));
      high = std::max(high, cells[i].mean(c));
    }
    if (high - low > box.spread) {
      box.channel = c;
      box.spread = high - low;
    }
  }
  return box;
}

/// Median cut (Heckbert 1982): the box with the greatest spread is split at the median until there
/// are as many as colours.
std::vector<ColorBox> boxesOf(std::vector<ColorCell>& cells) {
  std::vector<ColorBox> boxes = {boxOf(cells, 0, cells.size())};
  while (boxes.size() < kGifColors) {
    const auto widest =
        std::max_element(boxes.begin(), boxes.end(),
                         [](const auto& a, const auto& b) { return a.spread < b.spread; });
    if (widest->spread <= 0) break;
    const ColorBox box = *widest;
    const auto at = [&](std::size_t i) { return cells.begin() + static_cast<std::ptrdiff_t>(i); };
    std::sort(at(box.begin), at(box.end), [&](const ColorCell& a, const ColorCell& b) {
      return std::pair(a.mean(box.channel), a.cell) < std::pair(b.mean(box.channel), b.cell);
    });
    const std::size_t middle = box.begin + (box.end - box.begin) / 2;
    *widest = boxOf(cells, box.begin, middle);
    boxes.push_back(boxOf(cells, middle, box.end));
  }
  return boxes;
}

/// 256 colours, and which of them each cell becomes.
struct Palette {
  std::array<GifColor, kGifColors> colors = {};
  std::vector<std::uint8_t> ofCell = std::vector<std::uint8_t>(kCells, 0);
};

Palette paletteOf(const std::vector<std::uint8_t>& pixels) {
  std::vector<ColorCell> cells = cellsOf(pixels);
  Palette palette;
  std::size_t number = 0;
  for (const ColorBox& box : boxesOf(cells)) {
    std::array<std::int64_t, 3> sums = {};
    std::int64_t count = 0;
    for (std::size_t i = box.begin; i < box.end; ++i) {
      palette.ofCell[static_cast<std::size_t>(cells[i].cell)] = static_cast<std::uint8_t>(number);
      count += cells[i].count;
      for (std::size_t c = 0; c < 3; ++c)
        sums[c] += cells[i].sums[c];
    }
    for (std::size_t c = 0; c < 3; ++c)
      palette.colors[number][c] = static_cast<std::uint8_t>(sums[c] / count);
    ++number;
  }
  return palette;
}

/// Codes of 9 to 12 bits, the lowest bit first, in blocks of at most 255 bytes.
class CodeBlocks {
 public:
  void add(int code, int bits) {
    m_waiting |= static_cast<std::uint32_t>(code) << m_bits;
    for (m_bits += bits; m_bits >= 8; m_bits -= 8) {
      m_block += static_cast<char>(m_waiting & 255);
      m_waiting >>= 8;
      if (m_block.size() == 255) endBlock();
    }
  }
  std::string finish() {
    if (m_bits > 0) m_block += static_cast<char>(m_waiting & 255);
    endBlock();
    return m_bytes + '\0';
  }

 private:
  void endBlock() {
    if (m_block.empty()) return;
    m_bytes += static_cast<char>(m_block.size());
    m_bytes += m_block;
    m_block.clear();
  }

  std::uint32_t m_waiting = 0;
  int m_bits = 0;
  std::string m_block, m_bytes;
};

/// Lempel-Ziv-Welch as GIF has it (GIF89a, appendix F).
std::string lzwPacked(const std::vector<std::uint8_t>& colors) {
  CodeBlocks blocks;
  std::vector<std::int16_t> next(std::size_t{kMostCodes} * kGifColors, -1);  // [code, colour]
  int codes = kEndCode + 1, bits = kFirstCodeBits, code = colors.front();
  blocks.add(kClearCode, bits);
  for (std::size_t i = 1; i < colors.size(); ++i) {
    std::int16_t& longer = next[static_cast<std::size_t>(code) * kGifColors + colors[i]];
    if (longer >= 0) {
      code = longer;
      continue;
    }
    blocks.add(code, bits);
    code = colors[i];
    if (codes < kMostCodes) {
      if (codes == 1 << bits) ++bits;
      longer = static_cast<std::int16_t>(codes++);
      continue;
    }
    blocks.add(kClearCode, bits);
    std::fill(next.begin(), next.end(), std::int16_t{-1});
    codes = kEndCode + 1;
    bits = kFirstCodeBits;
  }
  blocks.add(code, bits);
  if (codes == 1 << bits && bits < 12) ++bits;  // as a reader counts
  blocks.add(kEndCode, bits);
  return blocks.finish();
}

/// The part of a frame that the film shows, on white.
std::vector<std::uint8_t> pixelsWithin(const Image& frame, int width, int height) {
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width) * height * 3, 255);
  const std::size_t row = static_cast<std::size_t>(std::min(width, frame.width)) * 3;
  for (int y = 0; y < std::min(height, frame.height); ++y)
    std::copy_n(frame.row(y), row, pixels.begin() + std::ptrdiff_t{3} * width * y);
  return pixels;
}

}  // namespace

GifFilm::GifFilm(double seconds)
    : m_hundredths(static_cast<int>(std::lround(std::clamp(seconds, 0.02, 600.0) * 100))) {}

void GifFilm::add(const Image& frame) {
  if (frame.empty() || frame.width > 65535 || frame.height > 65535)
    throw Failure({ErrorCode::InvalidArgument,
                   "a frame of a GIF is 1 to 65,535 pixels wide and high; choose smaller tiles",
                   "film"});
  if (m_bytes.empty()) {
    m_width = frame.width;
    m_height = frame.height;
    m_bytes = "GIF89a";
    addNumber(m_bytes, m_width);
    addNumber(m_bytes, m_height);
    m_bytes += std::string("\x70\0\0", 3);  // no colours for all frames
    m_bytes += std::string("\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 19);  // in a loop
  }
  const std::vector<std::uint8_t> pixels = pixelsWithin(frame, m_width, m_height);
  const Palette palette = paletteOf(pixels);
  m_bytes += std::string("\x21\xf9\x04\0", 4);
  addNumber(m_bytes, m_hundredths);
  m_bytes += std::string("\0\0\x2c\0\0\0\0", 7);
  addNumber(m_bytes, m_width);
  addNumber(m_bytes, m_height);
  m_bytes += '\x87';  // with 256 colours of its own
  for (const GifColor& color : palette.colors)
    m_bytes.append(color.begin(), color.end());
  std::vector<std::uint8_t> colors(pixels.size() / 3);
  for (std::size_t i = 0; i < colors.size(); ++i)
    colors[i] = palette.ofCell[static_cast<std::size_t>(colorCellOf(&pixels[3 * i]))];
  m_bytes += '\x08';
  m_bytes += lzwPacked(colors);
}

std::string GifFilm::finish() {
  if (!m_bytes.empty()) m_bytes += '\x3b';
  return std::exchange(m_bytes, {});
}

}  // namespace headlight
