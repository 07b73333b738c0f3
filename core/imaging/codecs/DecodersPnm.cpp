// SPDX-License-Identifier: GPL-3.0-or-later

// Decoders.h: Netpbm's PBM, PGM and PPM.

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/Decoders.h"
#include "core/imaging/codecs/Pnm.h"

namespace headlight {
namespace {

/// The samples one after another, none beyond the end of the bytes and none above the greatest.
class PnmSamples {
 public:
  PnmSamples(std::string_view bytes, const PnmHeader& pnm)
      : m_bytes(bytes), m_pnm(pnm), m_at(pnm.begin) {}

  std::uint32_t next() {
    const std::uint32_t value = m_pnm.plain ? nextPlain() : nextRaw();
    if (value > m_pnm.maxValue)
      refuse(ErrorCode::InvalidFile, tr("is damaged: a pixel is brighter than its header allows"));
    return value;
  }
  /// The next bit of a row, of which `x` is the place.
  std::uint32_t nextBit(std::int64_t x) {
    if (m_pnm.plain) return nextPlain();
    if (x % 8 == 0) m_byte = byte();
    return m_byte >> (7 - x % 8) & 1;
  }

 private:
  std::uint32_t byte() {
    if (m_at >= m_bytes.size())
      refuse(ErrorCode::InvalidFile, tr("is truncated: it ends before its last pixel"));
    return static_cast<std::uint8_t>(m_bytes[m_at++]);
  }
  std::uint32_t nextRaw() {
    const std::uint32_t high = byte();
    return m_pnm.maxValue > 255 ? high << 8 | byte() : high;
  }
  /// Digits up to what is none; of bits, one digit.
  std::uint32_t nextPlain() {
    std::uint32_t digit = byte();
    while (digit == ' ' || (digit >= '\t' && digit <= '\r'))
      digit = byte();
    std::uint32_t value = 0;
    for (;; digit = byte()) {
      if (digit < '0' || digit > '9')
        refuse(ErrorCode::InvalidFile, tr("is damaged: some pixels are not numbers"));
      value = value * 10 + (digit - '0');
      const bool more = !m_pnm.bits && m_at < m_bytes.size() && m_bytes[m_at] >= '0' &&
                        m_bytes[m_at] <= '9' && value <= m_pnm.maxValue;
      if (!more) return value;
    }
  }

  std::string_view m_bytes;
  const PnmHeader& m_pnm;
  std::size_t m_at;
  std::uint32_t m_byte = 0;
};

}  // namespace

Pixels decodePnm(std::string_view bytes, const ImageHeader& header) {
  const PnmHeader pnm = parsePnm(bytes);
  requireSize(header, pnm.width, pnm.height);
  PnmSamples samples(bytes, pnm);
  Pixels pixels(static_cast<std::size_t>(header.width * header.height * 3));
  std::uint8_t* out = pixels.data();
  for (std::int64_t y = 0; y < header.height; ++y)
    for (std::int64_t x = 0; x < header.width; ++x, out += 3)
      for (int c = 0; c < 3; ++c) {
        if (c >= pnm.channels)
          out[c] = out[0];
        else if (pnm.bits)
          out[c] = samples.nextBit(x) != 0 ? 0 : 255;
        else
          out[c] =
              static_cast<std::uint8_t>((samples.next() * 255 + pnm.maxValue / 2) / pnm.maxValue);
      }
  return pixels;
}

}  // namespace headlight
