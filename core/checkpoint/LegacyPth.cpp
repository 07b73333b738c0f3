// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/LegacyPth.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/Translation.h"
#include "core/checkpoint/Pickle.h"
#include "core/checkpoint/PickleStorages.h"
#include "core/checkpoint/Refusal.h"

namespace headlight {
namespace {

using namespace std::string_view_literals;
using Kind = PickleValue::Kind;

/// The pickle of torch's magic number, 0x1950a86a20f9469cfc6c.
constexpr std::string_view kMagic = "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20j\xa8P\x19."sv;
constexpr std::int64_t kProtocol = 1001;
/// Of all its pickles. A thousand times those of a large checkpoint.
constexpr std::uint64_t kMaxLegacyPickles = 64 << 20;
constexpr std::uint64_t kCountBytes = 8;

struct StoredElements {
  c10::ScalarType dtype = c10::ScalarType::Undefined;
  std::uint64_t elements = 0;
  std::uint64_t offset = 0;  ///< 0: it was not found yet
};
using Stored = std::unordered_map<std::string, StoredElements>;

class LegacyReader {
 public:
  explicit LegacyReader(const SharedSource& source)
      : m_source(source),
        m_head(source->read(0, std::min<std::uint64_t>(source->size(), kMaxLegacyPickles))),
        m_at(kMagic.size()) {}

  std::unique_ptr<TensorFile> open() {
    checkVersion();
    checkMachine();
    // How much a storage holds stands behind the pickles: until then at most the whole file.
    Pickle object = next([&](const std::string&) { return m_source->size(); });
    const auto stored = std::make_shared<Stored>(storagesIn(object));
    placeStorages(*stored);
    auto storages = std::make_unique<PickleStorages>(*m_source, [stored](const std::string& key) {
      const StoredElements& found = stored->at(key);
      return StoragePlace{found.offset, found.elements * c10::elementSize(found.dtype)};
    });
    return makePickleFile(m_source, std::move(object), std::move(storages), nullptr, false);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    refuse(
        m_source->name(),
        message + tr("; nothing in it was run. Copy or download it again from a trusted source"));
  }

  Pickle next(const StorageBytes& storageBytes) {
    std::uint64_t length = 0;
    Pickle pickle =
        parsePickle(std::string_view(m_head).substr(m_at), storageBytes, m_source->name(), &length);
    m_at += length;
    return pickle;
  }

  static std::optional<std::uint64_t> none(const std::string&) { return std::nullopt; }

  void checkVersion() {
    const Pickle version = next(none);
    if (version.root->kind != Kind::Int || version.root->integer != kProtocol)
      fail(tr("is a .pth of torch before 1.6, but of an unknown version"));
  }

  void checkMachine() {
    const Pickle machine = next(none);
    const auto& items = machine.root->items;
    for (std::size_t i = 0; machine.root->isDict() && i + 1 < items.size(); i += 2)
      if (items[i]->text == "little_endian" && items[i + 1]->kind == Kind::Bool) {
        if (items[i + 1]->integer != 0) return;
        refuse(m_source->name(),
               tr("holds big-endian numbers; save it again on a little-endian machine"),
               ErrorCode::UnsupportedFile);
      }
    fail(tr("does not say on what machine it was written: it is damaged"));
  }

  Stored storagesIn(const Pickle& pickle) const {
    Stored stored;
    for (const PickleValue& value : pickle.arena) {
      if (value.kind != Kind::Storage) continue;
      const auto elements = static_cast<std::uint64_t>(value.integer);
      const auto [found, fresh] =
          stored.emplace(value.text, StoredElements{value.dtype, elements, 0});
      const StoredElements& known = found->second;
      if (!fresh && (known.dtype != value.dtype || known.elements != elements))
        fail(tr("describes the storage ") + inQuotes(value.text) +
             tr(" in two ways: it is forged"));
    }
    return stored;
  }

  /// The keys of the storages, then each: its count of elements, its bytes. The file ends there.
  void placeStorages(Stored& stored) {
    const Pickle keys = next(none);
    if (keys.root->kind != Kind::List) fail(tr("has no list of its storages"));
    for (const PickleValue* key : keys.root->items) {
      const auto found = key->kind == Kind::String ? stored.find(key->text) : stored.end();
      if (found == stored.end() || found->second.offset != 0)
        fail(tr("lists a storage twice, or one that no tensor has"));
      placeStorage(key->text, found->second);
    }
    const bool all = std::all_of(stored.begin(), stored.end(),
                                 [](const auto& s) { return s.second.offset != 0; });
    if (!all) fail(tr("lacks a storage that a tensor has"));
    if (m_at != m_source->size()) fail(tr("continues after its last storage"));
  }

  void placeStorage(const std::string& key, StoredElements& stored) {
    const std::uint64_t left = m_source->size() - m_at;
    if (left < kCountBytes) fail(tr("is cut short before the storage ") + inQuotes(key));
    const std::string count = m_source->read(m_at, kCountBytes);
    const std::uint64_t said = ByteCursor(count, m_source->name(), "a storage").u64();
    if (said != stored.elements)
      fail(tr("says two different sizes of the storage ") + inQuotes(key) +
           tr(": it is damaged or forged"));
    const std::uint64_t bytes = said * c10::elementSize(stored.dtype);  // at most the file's size
    if (bytes > left - kCountBytes) fail(tr("is cut short in the storage ") + inQuotes(key));
    stored.offset = m_at + kCountBytes;
    m_at = stored.offset + bytes;
  }

  SharedSource m_source;
  std::string m_head;
  std::uint64_t m_at;
};

}  // namespace

bool isLegacyPth(std::string_view head) {
  return head.starts_with(kMagic);
}

std::unique_ptr<TensorFile> openLegacyPth(const SharedSource& source) {
  return LegacyReader(source).open();
}

}  // namespace headlight
