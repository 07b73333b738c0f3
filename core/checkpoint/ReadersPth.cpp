// SPDX-License-Identifier: GPL-3.0-or-later

// Readers.h: PyTorch checkpoints: the ZIP archive, its pickle and its storages.

#include <ATen/core/Tensor.h>

#include <algorithm>

#include "core/base/ForeignContent.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/LegacyPth.h"
#include "core/checkpoint/Pickle.h"
#include "core/checkpoint/PickleNests.h"
#include "core/checkpoint/PickleStorages.h"
#include "core/checkpoint/Readers.h"
#include "core/checkpoint/Refusal.h"
#include "core/checkpoint/ZipArchive.h"

namespace headlight {
namespace {

/// A thousand times the pickle of a large checkpoint.
constexpr std::uint64_t kMaxPickleBytes = 64 << 20;

/// What to say of a file that is no ZIP archive.
[[noreturn]] void refuseOther(const ByteSource& source) {
  const std::uint64_t size = source.size();
  if (size == 0) refuse(source.name(), tr("is empty; copy or download it again"));
  const std::string start = source.read(0, std::min<std::uint64_t>(size, 512));
  if (const std::string other = foreignContent(start); !other.empty())
    refuse(source.name(), other, ErrorCode::UnsupportedFile);
  std::string kind = tr("is neither a safetensors file nor a .pth file of torch.save");
  if (start.size() >= 262 && start.compare(257, 5, "ustar") == 0)
    kind = tr("is a .pth of torch before 0.2 (a tar archive), which is not read here");
  refuse(source.name(), kind + tr("; load it in Python and save it again with torch.save"),
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
    refuse(where, std::string(tr("is a NumPy archive (.npz); ")) + kFromNumPy,
           ErrorCode::UnsupportedFile);
  if (folder.empty() || archive.find(folder + "data.pkl") == nullptr)
    refuse(where,
           tr("is a ZIP archive without data.pkl, so torch.save did not write it; unpack it and "
              "give the weights in it, if any"),
           ErrorCode::UnsupportedFile);
  for (const ZipEntry& entry : entries)
    if (!entry.name.starts_with(folder))
      refuse(where, tr("has the entry ") + inQuotes(entry.name) + tr(" outside its folder ") +
                        inQuotes(folder) + tr(": it was not written by torch.save"));
  const ZipEntry* order = archive.find(folder + "byteorder");
  if (order != nullptr && archive.read(*order, 16) != "little")
    refuse(where, tr("holds big-endian numbers; save it again on a little-endian machine"),
           ErrorCode::UnsupportedFile);
  return folder;
}

/// An open .pth: its pickle, and the storages that tensors are read from.
class PickleFile : public TensorFile {
 public:
  PickleFile(SharedSource source, Pickle pickle, std::unique_ptr<PickleStorages> storages,
             std::shared_ptr<const void> kept, bool script)
      : TensorFile(source->name(), "pth"),
        m_source(std::move(source)),
        m_kept(std::move(kept)),
        m_pickle(std::move(pickle)),
        m_storages(std::move(storages)) {
    PickleNests found = findNests(*m_pickle.root, name());
    for (TensorNest& nest : found.nests)
      addNest(std::move(nest));
    m_tensors = std::move(found.tensors);
    m_others = std::move(found.others);
    if (found.module)
      m_notes.push_back(script ? tr("a TorchScript program: its tensors were taken, its code was "
                                    "not run")
                               : tr("a module saved whole: its tensors were taken, its code was "
                                    "not run"));
    if (!m_pickle.husks.empty() && !script)
      m_notes.push_back(tr("Python objects skipped and not run: ") +
                        joined({m_pickle.husks.begin(), m_pickle.husks.end()}));
  }

  at::Tensor read(std::size_t nest, std::size_t index) override {
    return m_storages->tensor(nests()[nest].names[index], *m_tensors[nest][index]);
  }
  at::Tensor outline(std::size_t nest, std::size_t index) override {
    const PickleValue& tensor = *m_tensors[nest][index];
    m_storages->countCopied(nests()[nest].names[index], tensor);
    return makeOutline(tensor.view->sizes, tensor.items.front()->dtype);
  }

 private:
  SharedSource m_source;
  std::shared_ptr<const void> m_kept;  ///< what the storages refer to
  Pickle m_pickle;
  std::unique_ptr<PickleStorages> m_storages;
  std::vector<std::vector<const PickleValue*>> m_tensors;
};

}  // namespace

std::unique_ptr<TensorFile> makePickleFile(const SharedSource& source, Pickle pickle,
                                           std::unique_ptr<PickleStorages> storages,
                                           std::shared_ptr<const void> kept, bool script) {
  return std::make_unique<PickleFile>(source, std::move(pickle), std::move(storages),
                                      std::move(kept), script);
}

std::unique_ptr<TensorFile> openPth(const SharedSource& source) {
  if (source->size() < 2 || source->read(0, 2) != "PK") refuseOther(*source);
  const auto archive = std::make_shared<const ZipArchive>(*source);
  const std::string folder = findFolder(*archive, source->name());
  const auto entryOf = [archive, folder](const std::string& key) {
    return archive->find(folder + "data/" + key);
  };
  const std::string bytes = archive->read(*archive->find(folder + "data.pkl"), kMaxPickleBytes);
  Pickle pickle = parsePickle(
      bytes,
      [&](const std::string& key) {
        const ZipEntry* entry = entryOf(key);
        return entry ? std::optional(entry->size) : std::nullopt;
      },
      source->name());
  auto storages =
      std::make_unique<PickleStorages>(*source, [archive, entryOf](const std::string& key) {
        const ZipEntry* entry = entryOf(key);
        archive->requireStored(*entry);
        const auto check = [archive, entry](const void* read) { archive->checkCrc(*entry, read); };
        return StoragePlace{entry->dataOffset, entry->size, check};
      });
  const bool script = archive->find(folder + "constants.pkl") != nullptr;
  return makePickleFile(source, std::move(pickle), std::move(storages), archive, script);
}

Result<Checkpoint> parsePth(std::string_view bytes, const std::string& name,
                            const std::string& take) {
  return guarded(name, [&] {
    const SharedSource source = ByteSource::overMemory(bytes, name);
    TensorFiles files;
    files.push_back(isLegacyPth(bytes) ? openLegacyPth(source) : openPth(source));
    return takeTensors(files, take);
  });
}

}  // namespace headlight
