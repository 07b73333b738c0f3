// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/CifarPickle.h"

#include <algorithm>
#include <fstream>

#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/checkpoint/Pickle.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using PickleKind = PickleValue::Kind;

constexpr std::uintmax_t kMaxPickleBytes = 512u << 20;  // CIFAR-100's `train` is 148 MiB
constexpr std::int64_t kPixelBytes = 3072;

[[noreturn]] void refusePickle(const fs::path& path, const std::string& why) {
  throw Failure({ErrorCode::InvalidFile,
                 why + tr("; give the folder of CIFAR's Python or binary version"), path.string()});
}

Pickle readPickle(const fs::path& path) {
  const std::string bytes = valueOrThrow(readFile(path, kMaxPickleBytes));
  return parsePickle(
      bytes, [](const std::string&) { return std::nullopt; }, path.string());
}

/// Nothing where the dictionary has no such key.
const PickleValue* valueAt(const Pickle& pickle, const std::vector<std::string>& keys) {
  const PickleValue& root = *pickle.root;
  for (const std::string& key : keys)
    for (std::size_t i = 0; root.isDict() && i + 1 < root.items.size(); i += 2)
      if (root.items[i]->kind == PickleKind::String && root.items[i]->text == key)
        return root.items[i + 1];
  return nullptr;
}

bool isTuple(const PickleValue* value, std::size_t items) {
  return value->kind == PickleKind::Tuple && value->items.size() == items;
}

/// NumPy's state of an array, (1, (images, 3072), dtype, False, bytes): the array itself stays
/// opaque, and what it was made of lies among the pickle's values.
const PickleValue* arrayStateIn(const Pickle& pickle) {
  const auto isState = [](const PickleValue& value) {
    if (!isTuple(&value, 5) || !isTuple(value.items[1], 2)) return false;
    const auto& sides = value.items[1]->items;
    return sides[0]->kind == PickleKind::Int && sides[1]->kind == PickleKind::Int &&
           sides[1]->integer == kPixelBytes && value.items[2]->kind == PickleKind::Husk &&
           value.items[2]->text == "numpy.dtype" && value.items[4]->kind == PickleKind::String;
  };
  const auto found = std::find_if(pickle.arena.begin(), pickle.arena.end(), isState);
  const bool one =
      found != pickle.arena.end() && std::none_of(found + 1, pickle.arena.end(), isState);
  return one ? &*found : nullptr;
}

/// dtype('u1'): the arguments that made it are among the values too.
bool namesBytes(const Pickle& pickle) {
  return std::any_of(pickle.arena.begin(), pickle.arena.end(), [](const PickleValue& value) {
    return value.kind == PickleKind::Tuple && !value.items.empty() &&
           value.items[0]->kind == PickleKind::String && value.items[0]->text == "u1";
  });
}

std::string planesIn(const Pickle& pickle, const fs::path& path) {
  const PickleValue* state = arrayStateIn(pickle);
  if (state == nullptr || !namesBytes(pickle))
    refusePickle(path, tr("holds no images of 32 by 32 pixels in three bytes each"));
  const bool columnsFirst = state->items[3]->integer != 0;
  const std::string& planes = state->items[4]->text;
  const std::int64_t images = state->items[1]->items[0]->integer;
  if (columnsFirst || images < 1 || images > std::int64_t(kMaxPickleBytes) ||
      planes.size() != static_cast<std::size_t>(images * kPixelBytes))
    refusePickle(path, tr("has images of another size than it says"));
  return planes;
}

}  // namespace

CifarBatch readCifarPickle(const fs::path& path) {
  const Pickle pickle = readPickle(path);
  const PickleValue* labels = valueAt(pickle, {"fine_labels", "labels"});
  if (labels == nullptr || labels->kind != PickleKind::List)
    refusePickle(path, tr("has no list of labels"));
  CifarBatch batch;
  batch.planes = planesIn(pickle, path);
  for (const PickleValue* label : labels->items) {
    if (label->kind != PickleKind::Int || label->integer < 0 || label->integer > 1000)
      refusePickle(path, tr("has a label that is no class"));
    batch.labels.push_back(static_cast<int>(label->integer));
  }
  if (batch.labels.size() * kPixelBytes != batch.planes.size())
    refusePickle(path, tr("has another number of labels than images"));
  return batch;
}

std::vector<std::string> readCifarPickleNames(const fs::path& path) {
  const Pickle pickle = readPickle(path);
  const PickleValue* names = valueAt(pickle, {"fine_label_names", "label_names"});
  if (names == nullptr || names->kind != PickleKind::List)
    refusePickle(path, tr("has no names of classes"));
  std::vector<std::string> texts;
  for (const PickleValue* name : names->items) {
    if (name->kind != PickleKind::String) refusePickle(path, tr("has a class without a name"));
    texts.push_back(name->text);
  }
  return texts;
}

bool isPickle(const fs::path& path) {
  std::error_code unknown;
  if (!fs::is_regular_file(path, unknown)) return false;
  char head[2] = {};
  std::ifstream file(path, std::ios::binary);
  file.read(head, sizeof head);
  return file.gcount() == 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}

}  // namespace headlight
