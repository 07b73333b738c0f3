// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pickles inside .pth files, walked by a small machine of our own. It knows plain containers,
// OrderedDict, torch's storages and its two functions that rebuild tensors. Every other Python
// object, and whatever is made by calling one, is an opaque husk. Nothing is imported or called.
// Internal.

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

/// How a tensor lies in its storage, in elements. Checked against the storage.
struct PickleView {
  std::int64_t offset = 0;
  std::vector<std::int64_t> sizes, strides;
};

struct PickleValue {
  enum class Kind : std::uint8_t {
    None,
    Bool,
    Int,    ///< fits 64 bits
    Float,  ///< its value is of no use here and not kept
    String,
    Bytes,  ///< not kept either
    Tuple,
    List,
    Set,
    Dict,
    OrderedDict,
    OrderedDictType,  ///< the things a pickle may name
    RebuildTensor,
    RebuildParameter,
    StorageType,
    Storage,
    Tensor,
    Husk,  ///< `text` says what Python would have made of it, `items` its state if it has one
  };

  Kind kind = Kind::None;
  c10::ScalarType dtype = c10::ScalarType::Undefined;  ///< StorageType, Storage
  std::int32_t depth = 1;    ///< of the containers inside, itself included
  std::int64_t integer = 0;  ///< Bool, Int; Storage: its elements
  std::string text;          ///< String; Storage: the key of its entry; Husk: "argparse.Namespace"
  std::vector<const PickleValue*> items;  ///< Dict: key, value, key, value …; Tensor: its storage
  std::shared_ptr<const PickleView> view;  ///< Tensor

  bool isDict() const { return kind == Kind::Dict || kind == Kind::OrderedDict; }
  /// "a number", "a Python object (argparse.Namespace)": for messages.
  std::string describe() const;
};

/// Bytes of the storage with this key in the file; nothing if there is none.
using StorageBytes = std::function<std::optional<std::uint64_t>(const std::string& key)>;

/// What a pickle holds. Values live in one arena, so that cycles and deep nesting, which a file can
/// have, need neither counting nor recursion to take down.
struct Pickle {
  std::deque<PickleValue> arena;
  const PickleValue* root = nullptr;
  std::set<std::string> husks;  ///< the first names (at most 20) that were not rebuilt
};

/// `length`: gets the bytes up to its end; more may follow then. Null: it ends with `bytes`.
/// Throws a Failure for: an instruction that torch.save never writes (INST, OBJ, extensions …), a
/// call or BUILD of something that is neither known nor a husk, a memo miss, an item set on what is
/// no container, containers nested more than 256 deep, more than 4 million values, a storage larger
/// than its entry, sizes or strides that reach beyond the storage, anything after the end, and a
/// call of functions that only an attack would want (os, subprocess, eval …).
Pickle parsePickle(std::string_view bytes, const StorageBytes& storageBytes,
                   const std::string& where, std::uint64_t* length = nullptr);

}  // namespace headlight
