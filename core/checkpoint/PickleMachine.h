// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The machine behind parsePickle: a stack, its marks, and a memo. Internal.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/checkpoint/ByteSource.h"
#include "core/checkpoint/Pickle.h"

namespace headlight {

class PickleMachine {
 public:
  PickleMachine(std::string_view bytes, const StorageBytes& storageBytes, std::string where);
  /// `length`: as parsePickle's.
  Pickle run(std::uint64_t* length);

 private:
  using Kind = PickleValue::Kind;

  // PickleMachine.cpp: reading, the stack, plain values. The steps say whether the instruction was
  // theirs.
  bool plainStep(std::uint8_t instruction);
  bool textStep(std::uint8_t instruction);
  bool containerStep(std::uint8_t instruction);
  bool memoStep(std::uint8_t instruction);
  [[noreturn]] void fail(const std::string& message) const;
  PickleValue* make(Kind kind);
  void push(PickleValue* value);
  void pushInteger(std::int64_t value);
  void pushLong(std::uint64_t bytes);
  void pushText(Kind kind, std::uint64_t bytes);
  PickleValue* pop();
  PickleValue* top();
  /// Everything above the last mark, which goes too.
  std::vector<PickleValue*> popMarked();
  void hold(PickleValue* container, const PickleValue* item) const;
  void pushContainer(Kind kind, const std::vector<PickleValue*>& items);
  void addItems(PickleValue* container, Kind wanted, const std::vector<PickleValue*>& items) const;
  void addPairs(PickleValue* dict, const std::vector<PickleValue*>& items) const;
  void remember(std::uint64_t slot);
  void recall(std::uint64_t slot);

  // PickleObjects.cpp: what Python would call objects.
  bool objectStep(std::uint8_t instruction);
  void pushGlobal(std::string_view module, std::string_view name);
  PickleValue* husk(const std::string& text, const PickleValue* inside);
  void reduce();
  void build();
  void newObject(bool withKeywords);
  void pushPersistent();
  PickleValue* rebuildTensor(const PickleValue& arguments);
  std::vector<std::int64_t> integers(const PickleValue& tuple, const char* what) const;
  void checkView(const PickleView& view, const PickleValue& storage) const;

  ByteCursor m_cursor;
  const StorageBytes& m_storageBytes;
  std::string m_where;
  Pickle m_pickle;
  std::vector<PickleValue*> m_stack;
  std::vector<std::size_t> m_marks;  ///< sizes of the stack when MARK came
  std::unordered_map<std::uint64_t, PickleValue*> m_memo;
};

}  // namespace headlight
