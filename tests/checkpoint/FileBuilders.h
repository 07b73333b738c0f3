// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Builds safetensors, ZIP, pickle and .pth bytes by hand, so that each can be made to lie in
// exactly one place. Used by the tests and by the fuzzer.

#include <zlib.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headlight::testing {

inline std::string littleEndian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i)
    text += static_cast<char>(i < 8 ? value >> (8 * i) & 0xFF : 0);
  return text;
}

inline std::string safetensorsBytes(const std::string& header, const std::string& data = {}) {
  return littleEndian(header.size(), 8) + header + data;
}

struct ZipItem {
  std::string name;
  std::string data;
  // Lies; negative or empty: the truth.
  std::string localName = {};
  std::int64_t localFlags = -1, localCrc = -1, centralCrc = -1, descriptorCrc = -1;
  std::int64_t method = 0, centralSize = -1, centralOffset = -1;
  std::uint16_t flags = 0x0808;  ///< torch's: UTF-8 names, sizes after the data
  std::string before = {};       ///< bytes that belong to nobody, in front of the entry
};

struct ZipOptions {
  bool zip64End = true;  ///< torch always writes it
  std::int64_t zip64Count = -1;
  std::string comment = {};
  std::string beforeDirectory = {};
};

/// As torch.save lays it out: padding in an 'FB' extra field so that data begins at multiples
/// of 64.
inline std::string zipBytes(const std::vector<ZipItem>& items, const ZipOptions& options = {}) {
  const auto orElse = [](std::int64_t lie, std::uint64_t truth) {
    return lie < 0 ? truth : static_cast<std::uint64_t>(lie);
  };
  std::string file, directory;
  for (const ZipItem& item : items) {
    file += item.before;
    const std::uint64_t offset = file.size();
    const auto crc =
        ::crc32_z(0, reinterpret_cast<const Bytef*>(item.data.data()), item.data.size());
    const bool descriptor = (item.flags & 8) != 0;
    const std::string localName = item.localName.empty() ? item.name : item.localName;
    const std::uint64_t unpadded = offset + 30 + localName.size() + 4;
    const std::string padding((64 - unpadded % 64) % 64, 'Z');
    const std::uint64_t localCrc = orElse(item.localCrc, descriptor ? 0 : crc);
    const std::uint64_t localSize = descriptor ? 0 : item.data.size();
    file += littleEndian(0x04034b50, 4) + littleEndian(0, 2) +
            littleEndian(orElse(item.localFlags, item.flags), 2) + littleEndian(item.method, 2) +
            littleEndian(0, 4) + littleEndian(localCrc, 4) + littleEndian(localSize, 4) +
            littleEndian(localSize, 4) + littleEndian(localName.size(), 2) +
            littleEndian(padding.size() + 4, 2) + localName + "FB" +
            littleEndian(padding.size(), 2) + padding + item.data;
    if (descriptor)
      file += littleEndian(0x08074b50, 4) + littleEndian(orElse(item.descriptorCrc, crc), 4) +
              littleEndian(item.data.size(), 4) + littleEndian(item.data.size(), 4);
    const std::uint64_t size = orElse(item.centralSize, item.data.size());
    directory += littleEndian(0x02014b50, 4) + littleEndian(0, 4) + littleEndian(item.flags, 2) +
                 littleEndian(item.method, 2) + littleEndian(0, 4) +
                 littleEndian(orElse(item.centralCrc, crc), 4) + littleEndian(size, 4) +
                 littleEndian(size, 4) + littleEndian(item.name.size(), 2) + littleEndian(0, 12) +
                 littleEndian(orElse(item.centralOffset, offset), 4) + item.name;
  }
  file += options.beforeDirectory;
  const std::uint64_t begin = file.size();
  file += directory;
  if (options.zip64End) {
    const std::uint64_t count = orElse(options.zip64Count, items.size());
    const std::uint64_t end = file.size();
    file += littleEndian(0x06064b50, 4) + littleEndian(44, 8) + littleEndian(0x2d031e, 4) +
            littleEndian(0, 8) + littleEndian(count, 8) + littleEndian(count, 8) +
            littleEndian(directory.size(), 8) + littleEndian(begin, 8);
    file += littleEndian(0x07064b50, 4) + littleEndian(0, 4) + littleEndian(end, 8) +
            littleEndian(1, 4);
  }
  return file + littleEndian(0x06054b50, 4) + littleEndian(0, 4) + littleEndian(items.size(), 2) +
         littleEndian(items.size(), 2) + littleEndian(directory.size(), 4) +
         littleEndian(begin, 4) + littleEndian(options.comment.size(), 2) + options.comment;
}

/// Pickle instructions, one call each.
class PickleWriter {
 public:
  PickleWriter& raw(std::string_view instructions) {
    m_bytes += instructions;
    return *this;
  }
  PickleWriter& mark() { return raw("("); }
  PickleWriter& dict() { return raw("}"); }
  PickleWriter& text(std::string_view value) {
    return raw("X").raw(littleEndian(value.size(), 4)).raw(value);
  }
  PickleWriter& integer(std::int64_t value) {
    return raw("\x8a\x08").raw(littleEndian(static_cast<std::uint64_t>(value), 8));
  }
  PickleWriter& integers(std::initializer_list<std::int64_t> values) {
    mark();
    for (const std::int64_t value : values)
      integer(value);
    return raw("t");
  }
  PickleWriter& global(const std::string& module, const std::string& name) {
    return raw("c" + module + "\n" + name + "\n");
  }
  PickleWriter& orderedDict() { return global("collections", "OrderedDict").raw(")R"); }
  PickleWriter& storage(const std::string& type, const std::string& key, std::int64_t elements) {
    mark().text("storage").global("torch", type).text(key).text("cpu").integer(elements);
    return raw("tQ");
  }
  struct Tensor {
    std::string type = "FloatStorage";
    std::string key = "0";
    std::int64_t elements = 6;
    std::int64_t offset = 0;
    std::vector<std::int64_t> sizes = {2, 3};
    std::vector<std::int64_t> strides = {3, 1};
  };
  PickleWriter& tensor(const Tensor& tensor) {
    global("torch._utils", "_rebuild_tensor_v2").mark();
    storage(tensor.type, tensor.key, tensor.elements).integer(tensor.offset);
    for (const auto* values : {&tensor.sizes, &tensor.strides}) {
      mark();
      for (const std::int64_t value : *values)
        integer(value);
      raw("t");
    }
    return raw("\x89").orderedDict().raw("tR");
  }
  /// The whole pickle, of protocol 2.
  std::string finish() const { return "\x80\x02" + m_bytes + "."; }

 private:
  std::string m_bytes;
};

/// The entries of a .pth with this pickle and these storages.
inline std::vector<ZipItem> pthItems(const std::string& pickle,
                                     const std::map<std::string, std::string>& storages) {
  std::vector<ZipItem> items{{"archive/data.pkl", pickle}};
  for (const auto& [key, data] : storages)
    items.push_back({"archive/data/" + key, data});
  items.push_back({"archive/version", "3\n"});
  return items;
}

/// What torch before 1.6 wrote around a pickle and its storages. Lies: members that are set.
struct LegacyOptions {
  std::int64_t protocol = 1001;
  bool littleEndian = true;
  std::vector<std::string> keys = {};               ///< the list of storages; empty: the truth
  std::map<std::string, std::int64_t> counts = {};  ///< of elements; those missing: the truth
  std::string after = {};
};

/// `storages`: bytes of float32.
inline std::string legacyPthBytes(const std::string& pickle,
                                  const std::map<std::string, std::string>& storages,
                                  const LegacyOptions& options = {}) {
  std::string file("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20j\xa8P\x19.", 15);
  file += PickleWriter().integer(options.protocol).finish();
  file += PickleWriter()
              .dict()
              .text("little_endian")
              .raw(options.littleEndian ? "\x88s" : "\x89s")
              .finish();
  file += pickle;
  std::vector<std::string> keys = options.keys;
  for (const auto& [key, data] : storages)
    if (options.keys.empty()) keys.push_back(key);
  PickleWriter list;
  list.raw("](");
  for (const std::string& key : keys)
    list.text(key);
  file += list.raw("e").finish();
  for (const std::string& key : keys) {
    const std::string data = storages.count(key) ? storages.at(key) : std::string();
    const std::int64_t count = options.counts.count(key)
                                   ? options.counts.at(key)
                                   : static_cast<std::int64_t>(data.size() / sizeof(float));
    file += littleEndian(static_cast<std::uint64_t>(count), 8) + data;
  }
  return file + options.after;
}

/// 0, 1, 2 … as float32.
inline std::string countingFloats(int count) {
  std::string data;
  for (int i = 0; i < count; ++i) {
    const auto value = static_cast<float>(i);
    data.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return data;
}

inline std::string pthBytes(const std::string& pickle,
                            const std::map<std::string, std::string>& storages = {
                                {"0", countingFloats(6)}}) {
  return zipBytes(pthItems(pickle, storages));
}

}  // namespace headlight::testing
