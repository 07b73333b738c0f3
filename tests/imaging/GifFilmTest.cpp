// SPDX-License-Identifier: GPL-3.0-or-later

// Films as GIF, read back by a decoder written from the standard (GIF89a) for this test.

#include "core/imaging/video/GifFilm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace headlight {
namespace {

struct ReadFrame {
  int width = 0, height = 0, hundredths = 0;
  std::vector<std::uint8_t> pixels;
};

class GifReader {
 public:
  explicit GifReader(const std::string& bytes) : m_bytes(bytes) {}

  std::vector<ReadFrame> frames() {
    EXPECT_EQ(text(6), "GIF89a");
    width = number();
    height = number();
    EXPECT_EQ(byte() & 0x80, 0);
    m_at += 2;
    std::vector<ReadFrame> frames;
    int hundredths = 0;
    for (int kind = byte(); kind != 0x3b; kind = byte()) {
      if (kind == 0x21) {
        const bool control = byte() == 0xf9;
        const std::string block = blocks();
        if (control) hundredths = uchar(block, 1) | uchar(block, 2) << 8;
        if (!control) loops = block.substr(0, 11) == "NETSCAPE2.0";
        continue;
      }
      EXPECT_EQ(kind, 0x2c);
      frames.push_back(frame());
      frames.back().hundredths = hundredths;
    }
    EXPECT_EQ(m_at, m_bytes.size());
    return frames;
  }

  int width = 0, height = 0;
  bool loops = false;

 private:
  static int uchar(const std::string& text, std::size_t i) {
    return static_cast<std::uint8_t>(text.at(i));
  }
  int byte() { return uchar(m_bytes, m_at++); }
  int number() {
    const int low = byte();
    return low | byte() << 8;
  }
  std::string text(std::size_t size) {
    m_at += size;
    return m_bytes.substr(m_at - size, size);
  }
  std::string blocks() {
    std::string all;
    for (int size = byte(); size != 0; size = byte())
      all += text(static_cast<std::size_t>(size));
    return all;
  }

  ReadFrame frame() {
    ReadFrame frame;
    EXPECT_EQ(number() + number(), 0);
    frame.width = number();
    frame.height = number();
    EXPECT_EQ(byte(), 0x87);
    const std::string palette = text(768);
    EXPECT_EQ(byte(), 8);
    for (const int color : unpacked(blocks()))
      for (std::size_t c = 0; c < 3; ++c)
        frame.pixels.push_back(
            static_cast<std::uint8_t>(palette.at(static_cast<std::size_t>(color) * 3 + c)));
    return frame;
  }

  static std::vector<int> unpacked(const std::string& data) {
    std::vector<int> result;
    std::vector<std::vector<int>> table;
    int bits = 9;
    std::vector<int> previous;
    std::size_t bit = 0;
    const auto restart = [&] {
      table.assign(258, {});
      for (int i = 0; i < 256; ++i)
        table[static_cast<std::size_t>(i)] = {i};
      bits = 9;
      previous.clear();
    };
    for (;;) {
      int code = 0;
      for (int i = 0; i < bits; ++i, ++bit)
        code |= (uchar(data, bit / 8) >> (bit % 8) & 1) << i;
      if (code == 257) return result;
      if (code == 256) {
        restart();
        continue;
      }
      std::vector<int> entry;
      if (static_cast<std::size_t>(code) < table.size()) {
        entry = table[static_cast<std::size_t>(code)];
      } else {
        EXPECT_EQ(static_cast<std::size_t>(code), table.size());
        entry = previous;
        entry.push_back(previous.front());
      }
      result.insert(result.end(), entry.begin(), entry.end());
      if (!previous.empty() && table.size() < 4096) {
        previous.push_back(entry.front());
        table.push_back(previous);
        if (table.size() == std::size_t{1} << bits && bits < 12) ++bits;
      }
      previous = entry;
    }
  }

  const std::string& m_bytes;
  std::size_t m_at = 0;
};

Image imageOf(int width, int height, int (*value)(int x, int y, int channel)) {
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c)
        pixels.push_back(static_cast<std::uint8_t>(value(x, y, c)));
  return {width, height, std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels))};
}

TEST(GifFilm, FewColorsComeBackAsTheyWere) {
  const Image first = imageOf(70, 50, [](int x, int y, int c) { return (x + y) % 4 * 80 + c; });
  const Image second = imageOf(70, 50, [](int, int, int c) { return 10 * c; });
  GifFilm film(0.2);
  film.add(first);
  film.add(second);
  const std::string bytes = film.finish();
  GifReader reader(bytes);
  const auto frames = reader.frames();
  EXPECT_TRUE(reader.loops);
  EXPECT_EQ(reader.width, 70);
  EXPECT_EQ(reader.height, 50);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].pixels, *first.pixels);
  EXPECT_EQ(frames[1].pixels, *second.pixels);
  EXPECT_EQ(frames[0].hundredths, 20);
}

/// Long enough for the table of codes to fill up several times.
TEST(GifFilm, ManyColorsComeBackNearly) {
  const Image image = imageOf(300, 220, [](int x, int y, int c) {
    const int noise = (x * 7919 + y * 104729 + c * 31) % 23;
    return std::min(255, (c == 0 ? x * 200 / 300 : c == 1 ? y : 90) + noise);
  });
  GifFilm film(0.001);
  film.add(image);
  const std::string bytes = film.finish();
  const auto frames = GifReader(bytes).frames();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].hundredths, 2);
  ASSERT_EQ(frames[0].pixels.size(), image.pixels->size());
  double sum = 0;
  int most = 0;
  for (std::size_t i = 0; i < image.pixels->size(); ++i) {
    const int off = std::abs(int{frames[0].pixels[i]} - int{(*image.pixels)[i]});
    sum += off * off;
    most = std::max(most, off);
  }
  EXPECT_LT(std::sqrt(sum / static_cast<double>(image.pixels->size())), 8.0);
  EXPECT_LT(most, 48);
}

TEST(GifFilm, LaterFramesAreCutOrPaddedToTheFirst) {
  const auto black = [](int, int, int) { return 0; };
  GifFilm film(1);
  film.add(imageOf(8, 6, black));
  film.add(imageOf(5, 9, black));
  const std::string bytes = film.finish();
  const auto frames = GifReader(bytes).frames();
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[1].width, 8);
  EXPECT_EQ(frames[1].height, 6);
  EXPECT_EQ(frames[1].pixels[4 * 3], 0);
  EXPECT_EQ(frames[1].pixels[5 * 3], 255);
}

TEST(GifFilm, NothingIsNoFilm) {
  EXPECT_TRUE(GifFilm(1).finish().empty());
  GifFilm film(1);
  EXPECT_THROW(film.add(Image()), Failure);
}

}  // namespace
}  // namespace headlight
