// SPDX-License-Identifier: GPL-3.0-or-later

// ImageHeader.h: Netpbm's PBM, PGM and PPM.

#include <string>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/Image.h"
#include "core/imaging/codecs/ImageHeader.h"
#include "core/imaging/codecs/Pnm.h"

namespace headlight {
namespace {

constexpr std::size_t kMostDigits = 9;

bool isBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Numbers of the header, with comments from # to the end of a line between them.
class PnmText {
 public:
  explicit PnmText(std::string_view bytes) : m_bytes(bytes) {}

  std::int64_t number() {
    skipBlanks();
    const std::size_t begin = m_at;
    std::int64_t value = 0;
    for (; m_at < m_bytes.size() && m_bytes[m_at] >= '0' && m_bytes[m_at] <= '9'; ++m_at) {
      if (m_at - begin >= kMostDigits) damaged();
      value = value * 10 + (m_bytes[m_at] - '0');
    }
    if (m_at == begin) damaged();
    return value;
  }
  /// The one blank between the header and what follows; its place.
  std::size_t end() {
    if (m_at >= m_bytes.size() || !isBlank(m_bytes[m_at])) damaged();
    return ++m_at;
  }

 private:
  [[noreturn]] static void damaged() {
    refuse(ErrorCode::InvalidFile, tr("is damaged or truncated: its PNM header lacks width, height "
                                      "or maximum value; fetch or save the image again"));
  }
  void skipBlanks() {
    for (; m_at < m_bytes.size(); ++m_at) {
      if (m_bytes[m_at] == '#')
        while (m_at < m_bytes.size() && m_bytes[m_at] != '\n' && m_bytes[m_at] != '\r')
          ++m_at;
      if (m_at >= m_bytes.size() || !isBlank(m_bytes[m_at])) return;
    }
  }

  std::string_view m_bytes;
  std::size_t m_at = 2;
};

/// The fewest bytes that the samples take: a plain one has a digit, and a blank but after the last;
/// a plain bit has no blank.
std::int64_t leastBytes(const PnmHeader& pnm) {
  const std::int64_t samples = pnm.width * pnm.height * pnm.channels;
  if (pnm.plain) return pnm.bits ? samples : 2 * samples - 1;
  if (pnm.bits) return (pnm.width + 7) / 8 * pnm.height;
  return pnm.maxValue > 255 ? 2 * samples : samples;
}

}  // namespace

bool beginsLikePnm(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
         (isBlank(bytes[2]) || bytes[2] == '#');
}

PnmHeader parsePnm(std::string_view bytes) {
  PnmText text(bytes);
  const int kind = bytes[1] - '0';
  PnmHeader pnm;
  pnm.plain = kind <= 3;
  pnm.bits = kind == 1 || kind == 4;
  pnm.channels = kind == 3 || kind == 6 ? 3 : 1;
  pnm.width = text.number();
  pnm.height = text.number();
  const std::int64_t greatest = pnm.bits ? 1 : text.number();
  if (greatest < 1 || greatest > 65535)
    refuse(ErrorCode::InvalidFile, tr("is damaged: its maximum value is ") +
                                       std::to_string(greatest) + tr(", but must be 1 to 65535"));
  pnm.maxValue = static_cast<std::uint32_t>(greatest);
  pnm.begin = text.end();
  return pnm;
}

ImageHeader readPnmHeader(std::string_view bytes) {
  const PnmHeader pnm = parsePnm(bytes);
  ImageHeader header;
  header.format = ImageFormat::Pnm;
  header.width = pnm.width;
  header.height = pnm.height;
  const bool plausible =
      pnm.width > 0 && pnm.height > 0 && pnm.width <= kMaxImagePixels / pnm.height;
  if (plausible && leastBytes(pnm) > static_cast<std::int64_t>(bytes.size() - pnm.begin))
    refuse(ErrorCode::InvalidFile,
           tr("is truncated: it ends before its last pixel; fetch or save it "
              "again"));
  return header;
}

}  // namespace headlight
