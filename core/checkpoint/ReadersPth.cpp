// SPDX-License-Identifier: GPL-3.0-or-later

// Readers.h: PyTorch checkpoints: the ZIP archive, its pickle and its storages.

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "core/base/ForeignContent.h"
#include "core/base/Text.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Pickle.h"
#include "core/checkpoint/Readers.h"
#include "core/checkpoint/Refusal.h"
#include "core/checkpoint/TensorBytes.h"
#include "core/checkpoint/ZipArchive.h"

namespace headlight {
namespace {

/// A thousand times the pickle of a large checkpoint.
constexpr std::uint64_t kMaxPickleBytes = 64 << 20;
/// Strided views are copied; together they may take this many times the size of the file.
constexpr std::uint64_t kMaxCopiedFactor = 4;
constexpr std::size_t kMaxNamesInNote = 8;
constexpr std::array<const char*, 4> kPreferred{"state_dict_ema", "model_ema", "state_dict",
                                                "model"};

using Kind = PickleValue::Kind;
using NamedValues = std::vector<std::pair<std::string, const PickleValue*>>;

/// What to say of a file that is no ZIP archive.
[[noreturn]] void refuseOther(const ByteSource& source) {
  const std::uint64_t size = source.size();
  if (size == 0) refuse(source.name(), "is empty; copy or download it again");
  const std::string start = source.read(0, std::min<std::uint64_t>(size, 512));
  if (const std::string other = foreignContent(start); !other.empty())
    refuse(source.name(), other, ErrorCode::UnsupportedFile);
  std::string kind = "is neither a safetensors file nor a .pth file of torch.save";
  if (start.starts_with("\x80\x02\x8a\x0a"))
    kind = "is a .pth of torch before 1.6 (a bare pickle), which is not read here";
  if (start.size() >= 262 && start.compare(257, 5, "ustar") == 0)
    kind = "is a .pth of torch before 0.2 (a tar archive), which is not read here";
  refuse(source.name(), kind + "; load it in Python and save it again with torch.save",
         ErrorCode::UnsupportedFile);
}

/// The folder that everything in the archive lies in, with its '/'.
std::string findFolder(const ZipArchive& archive, const std::string& where) {
  const auto& entries = archive.entries();
  const std::string first = entries.empty() ? "" : entries.front().name;
  std::string folder = first.substr(0, first.find('/') + 1);
  const bool arrays = std::any_of(entries.begin(), entries.end(),
                                  [](const ZipEntry& e) { return e.name.ends_with(".npy"); });
  if (arrays && archive.find(folder + "data.pkl") == nullptr)
    refuse(where, std::string("is an archive of NumPy's arrays (.npz); ") + kFromNumPy,
           ErrorCode::UnsupportedFile);
  if (folder.empty() || archive.find(folder + "data.pkl") == nullptr)
    refuse(where,
           "is a ZIP archive, but not one of torch.save: it has no data.pkl; unpack it and give "
           "the weights in it, if it holds any",
           ErrorCode::UnsupportedFile);
  for (const ZipEntry& entry : entries)
    if (!entry.name.starts_with(folder))
      refuse(where, "has the entry " + inQuotes(entry.name) + " outside its folder " +
                        inQuotes(folder) + ": it was not written by torch.save");
  if (archive.find(folder + "constants.pkl") != nullptr)
    refuse(where, "is a TorchScript program, not weights; save its state_dict() instead",
           ErrorCode::UnsupportedFile);
  const ZipEntry* order = archive.find(folder + "byteorder");
  if (order != nullptr && archive.read(*order, 16) != "little")
    refuse(where, "holds big-endian numbers; save it again on a little-endian machine",
           ErrorCode::UnsupportedFile);
  return folder;
}

/// Reads storages on demand, each once, and makes tensors of them.
class StorageReader {
 public:
  StorageReader(const ByteSource& source, const ZipArchive& archive, std::string folder)
      : m_source(source), m_archive(archive), m_folder(std::move(folder)) {}

  std::optional<std::uint64_t> bytes(const std::string& key) const {
    const ZipEntry* entry = m_archive.find(m_folder + "data/" + key);
    if (entry == nullptr) return std::nullopt;
    return entry->size;
  }

  /// Contiguous. Shares the storage where the file's tensor is contiguous in it.
  at::Tensor tensor(const std::string& name, const PickleValue& value) {
    const PickleView& view = *value.view;
    const PickleValue& stored = *value.items.front();
    const auto bytes =
        *byteCount(view.sizes, static_cast<std::int64_t>(c10::elementSize(stored.dtype)));
    if (bytes == 0)
      return at::empty(view.sizes, at::TensorOptions().dtype(stored.dtype).device(at::kCPU));
    std::vector<std::int64_t> strides = view.strides;
    for (std::size_t i = 0; i < strides.size(); ++i)
      if (view.sizes[i] == 1) strides[i] = 1;  // never used, and could be anything
    const at::Tensor storage = load(name, stored);
    const at::Tensor strided = storage.as_strided(view.sizes, strides, view.offset);
    if (strided.is_contiguous())
      return storage.narrow(0, view.offset, strided.numel()).view(view.sizes);
    // A stride of 0 makes terabytes of a few bytes.
    m_copied += static_cast<std::uint64_t>(bytes);
    if (m_copied / kMaxCopiedFactor > m_source.size())
      refuse(m_source.name(), "tensor " + inQuotes(name) + " of shape " + shapeText(view.sizes) +
                                  " repeats what is stored until it is far larger than the file; "
                                  "save it again with .contiguous()");
    return strided.contiguous();
  }

 private:
  at::Tensor load(const std::string& name, const PickleValue& stored) {
    at::Tensor& storage = m_storages[stored.text];
    if (!storage.defined()) {
      const ZipEntry& entry = *m_archive.find(m_folder + "data/" + stored.text);
      const auto itemBytes = c10::elementSize(stored.dtype);
      if (entry.size % itemBytes != 0)
        refuse(m_source.name(), "the storage of tensor " + inQuotes(name) + " has " +
                                    std::to_string(entry.size) +
                                    " bytes, no whole number of elements: the file is damaged");
      const auto elements = static_cast<std::int64_t>(entry.size / itemBytes);
      storage = readTensor(m_source, entry.dataOffset, {elements}, stored.dtype, name);
      m_archive.checkCrc(entry, storage.data_ptr());
    }
    if (storage.scalar_type() != stored.dtype)
      refuse(m_source.name(), "the storage of tensor " + inQuotes(name) +
                                  " is of two dtypes, which torch.save never writes");
    return storage;
  }

  const ByteSource& m_source;
  const ZipArchive& m_archive;
  std::string m_folder;
  std::unordered_map<std::string, at::Tensor> m_storages;
  std::uint64_t m_copied = 0;
};

/// The dictionary's values whose keys are text. Python writes no key twice.
NamedValues namedValues(const PickleValue& dict, const std::string& where) {
  NamedValues values;
  std::unordered_set<std::string> names;
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    if (dict.items[i]->kind != Kind::String) continue;
    const std::string& name = dict.items[i]->text;
    if (!names.insert(name).second)
      refuse(where, "a dictionary in it has the name " + inQuotes(name) + " twice: it is made up");
    values.emplace_back(name, dict.items[i + 1]);
  }
  return values;
}

bool hasTensors(const NamedValues& values) {
  for (const auto& [name, value] : values)
    if (value->kind == Kind::Tensor) return true;
  return false;
}

/// "notes" of what was left out: at most a few names, then how many more.
class NameList {
 public:
  void add(const std::string& name, const PickleValue& value) {
    if (++m_count > kMaxNamesInNote) return;
    addTo(m_text, inQuotes(name) + " (" + value.describe() + ")");
  }
  bool empty() const { return m_count == 0; }
  std::string text() const {
    if (m_count <= kMaxNamesInNote) return m_text;
    return m_text + " and " + std::to_string(m_count - kMaxNamesInNote) + " more";
  }

 private:
  std::string m_text;
  std::size_t m_count = 0;
};

/// The dictionary with the weights: the preferred names first, or the file's own. Notes what of the
/// file is left aside.
NamedValues chooseWeights(const PickleValue& root, const std::string& where,
                          Checkpoint& checkpoint) {
  if (!root.isDict())
    refuse(where,
           "holds " + root.describe() +
               " instead of a dictionary of tensors; in Python, save model.state_dict()",
           ErrorCode::UnsupportedFile);
  NamedValues top = namedValues(root, where);
  for (const char* preferred : kPreferred) {
    for (const auto& [name, value] : top) {
      if (name != preferred || !value->isDict()) continue;
      NamedValues chosen = namedValues(*value, where);
      if (!hasTensors(chosen)) continue;
      checkpoint.source = name;
      NameList aside;
      for (const auto& [other, otherValue] : top)
        if (other != name) aside.add(other, *otherValue);
      if (!aside.empty())
        checkpoint.notes.push_back("took " + inQuotes(name) + " and left aside " + aside.text());
      return chosen;
    }
  }
  if (!hasTensors(top))
    refuse(where, "holds a dictionary without tensors; in Python, save model.state_dict()",
           ErrorCode::UnsupportedFile);
  return top;
}

/// Prefixes of wrappers around the model: several processes, torch.compile.
std::string withoutWrappers(std::string name) {
  for (const std::string_view prefix : {"module.", "_orig_mod."})
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  return name;
}

void takeTensors(const NamedValues& values, StorageReader& storages, const std::string& where,
                 Checkpoint& checkpoint) {
  NameList skipped;
  std::unordered_set<std::string> names;
  for (const auto& [fullName, value] : values) {
    if (value->kind != Kind::Tensor) {
      skipped.add(fullName, *value);
      continue;
    }
    if (checkpoint.tensors.size() >= kMaxTensors)
      refuse(where, "holds more than " + std::to_string(kMaxTensors) +
                        " tensors, the most that are read here");
    std::string name = withoutWrappers(fullName);
    if (!isPlainName(name))
      refuse(where, "tensor " + inQuotes(name) +
                        " has a name that is too long or holds control characters");
    if (!names.insert(name).second)
      refuse(where, "tensor " + inQuotes(name) + " is there twice, with and without \"module.\"");
    at::Tensor tensor = storages.tensor(name, *value);
    checkpoint.tensors.emplace_back(std::move(name), std::move(tensor));
  }
  if (!skipped.empty()) checkpoint.notes.push_back("skipped, being no tensors: " + skipped.text());
}

}  // namespace

Checkpoint readPthFrom(const ByteSource& source) {
  if (source.size() < 2 || source.read(0, 2) != "PK") refuseOther(source);
  const ZipArchive archive(source);
  const std::string folder = findFolder(archive, source.name());
  StorageReader storages(source, archive, folder);
  const std::string bytes = archive.read(*archive.find(folder + "data.pkl"), kMaxPickleBytes);
  const Pickle pickle = parsePickle(
      bytes, [&](const std::string& key) { return storages.bytes(key); }, source.name());

  Checkpoint checkpoint;
  checkpoint.format = "pth";
  const NamedValues weights = chooseWeights(*pickle.root, source.name(), checkpoint);
  takeTensors(weights, storages, source.name(), checkpoint);
  if (!pickle.husks.empty()) {
    checkpoint.notes.push_back("Python objects skipped, nothing of them was run: " +
                               joined({pickle.husks.begin(), pickle.husks.end()}));
  }
  return checkpoint;
}

Result<Checkpoint> readPth(const std::filesystem::path& path) {
  return guarded(path.string(), [&] { return readPthFrom(*ByteSource::openFile(path)); });
}

Result<Checkpoint> parsePth(std::string_view bytes, const std::string& name) {
  return guarded(name, [&] { return readPthFrom(*ByteSource::overMemory(bytes, name)); });
}

}  // namespace headlight
