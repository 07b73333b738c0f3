// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/PickleMachine.h"

#include <algorithm>

#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxValues = 4'000'000;
constexpr std::int32_t kMaxDepth = 256;
constexpr std::uint8_t kStop = '.';

}  // namespace

Pickle parsePickle(std::string_view bytes, const StorageBytes& storageBytes,
                   const std::string& where, std::uint64_t* length) {
  return PickleMachine(bytes, storageBytes, where).run(length);
}

std::string PickleValue::describe() const {
  switch (kind) {
    case Kind::None:
      return "None";
    case Kind::Bool:
    case Kind::Int:
    case Kind::Float:
      return "a number";
    case Kind::String:
    case Kind::Bytes:
      return "text";
    case Kind::Tuple:
    case Kind::List:
    case Kind::Set:
      return "a list";
    case Kind::Dict:
    case Kind::OrderedDict:
      return "a dictionary";
    case Kind::Tensor:
      return "a tensor";
    case Kind::Husk:
      return "a Python object (" + text + ")";
    default:
      return "a part of torch";
  }
}

PickleMachine::PickleMachine(std::string_view bytes, const StorageBytes& storageBytes,
                             std::string where)
    : m_cursor(bytes, where, "its pickle"),
      m_storageBytes(storageBytes),
      m_where(std::move(where)) {}

Pickle PickleMachine::run(std::uint64_t* length) {
  while (true) {
    const std::uint8_t instruction = m_cursor.u8();
    if (instruction == kStop) break;
    if (plainStep(instruction) || textStep(instruction) || containerStep(instruction) ||
        memoStep(instruction) || objectStep(instruction))
      continue;
    fail(tr("contains the instruction ") + std::to_string(instruction) +
         tr(", which torch.save never writes (legacy or forged)"));
  }
  if (!m_marks.empty() || m_stack.size() != 1) fail(tr("leaves unused values at its end"));
  if (length)
    *length = m_cursor.position();
  else if (m_cursor.remaining() != 0)
    fail(tr("continues after its end"));
  m_pickle.root = m_stack.front();
  return std::move(m_pickle);
}

void PickleMachine::fail(const std::string& message) const {
  refuse(m_where,
         tr("its pickle ") + message + " (byte " + std::to_string(m_cursor.position()) +
             tr("); nothing in it was run. Copy or download it again from a trusted source"));
}

bool PickleMachine::plainStep(std::uint8_t instruction) {
  switch (instruction) {
    case 0x80:  // PROTO
      if (m_cursor.u8() > 5) fail(tr("has a version above 5"));
      return true;
    case 0x95:  // FRAME: how much to read ahead; nothing here reads ahead
      if (m_cursor.u64() > m_cursor.remaining()) fail(tr("is cut short"));
      return true;
    case 'N':
      push(make(Kind::None));
      return true;
    case 0x88:  // NEWTRUE
    case 0x89:  // NEWFALSE
      push(make(Kind::Bool));
      top()->integer = instruction == 0x88;
      return true;
    case 'K':
      pushInteger(m_cursor.u8());
      return true;
    case 'M':
      pushInteger(m_cursor.u16());
      return true;
    case 'J':
      pushInteger(static_cast<std::int32_t>(m_cursor.u32()));
      return true;
    case 0x8a:
      pushLong(m_cursor.u8());
      return true;  // LONG1
    case 0x8b:
      pushLong(m_cursor.u32());
      return true;  // LONG4: a negative length is a huge one
    case 'G':       // BINFLOAT
      m_cursor.bytes(8);
      push(make(Kind::Float));
      return true;
    default:
      return false;
  }
}

bool PickleMachine::textStep(std::uint8_t instruction) {
  switch (instruction) {
    case 'X':
      pushText(Kind::String, m_cursor.u32());
      return true;  // BINUNICODE
    case 0x8c:
      pushText(Kind::String, m_cursor.u8());
      return true;  // SHORT_BINUNICODE
    case 0x8d:
      pushText(Kind::String, m_cursor.u64());
      return true;  // BINUNICODE8
    case 'T':
      pushText(Kind::String, m_cursor.u32());
      return true;  // BINSTRING (Python 2)
    case 'U':
      pushText(Kind::String, m_cursor.u8());
      return true;  // SHORT_BINSTRING
    case 'B':
      pushText(Kind::Bytes, m_cursor.u32());
      return true;  // BINBYTES
    case 'C':
      pushText(Kind::Bytes, m_cursor.u8());
      return true;  // SHORT_BINBYTES
    case 0x8e:      // BINBYTES8
    case 0x96:
      pushText(Kind::Bytes, m_cursor.u64());
      return true;  // BYTEARRAY8
    default:
      return false;
  }
}

bool PickleMachine::containerStep(std::uint8_t instruction) {
  switch (instruction) {
    case '(':
      m_marks.push_back(m_stack.size());
      return true;
    case '0':  // POP: of a mark too
      if (!m_marks.empty() && m_marks.back() == m_stack.size()) {
        m_marks.pop_back();
      } else {
        pop();
      }
      return true;
    case '1':
      popMarked();
      return true;
    case ')':
      pushContainer(Kind::Tuple, {});
      return true;
    case ']':
      pushContainer(Kind::List, {});
      return true;
    case '}':
      push(make(Kind::Dict));
      return true;
    case 0x8f:
      pushContainer(Kind::Set, {});
      return true;
    case 't':
      pushContainer(Kind::Tuple, popMarked());
      return true;
    case 'l':
      pushContainer(Kind::List, popMarked());
      return true;
    case 0x91:
      pushContainer(Kind::Set, popMarked());
      return true;  // FROZENSET
    case 0x85:      // TUPLE1, 2, 3
    case 0x86:
    case 0x87: {
      std::vector<PickleValue*> items(instruction - 0x84);
      std::generate(items.rbegin(), items.rend(), [&] { return pop(); });
      pushContainer(Kind::Tuple, items);
      return true;
    }
    case 'd': {  // DICT
      const auto items = popMarked();
      PickleValue* dict = make(Kind::Dict);
      addPairs(dict, items);
      push(dict);
      return true;
    }
    case 'a': {  // APPEND
      PickleValue* item = pop();
      addItems(top(), Kind::List, {item});
      return true;
    }
    case 's': {  // SETITEM
      PickleValue* value = pop();
      PickleValue* key = pop();
      addPairs(top(), {key, value});
      return true;
    }
    case 'e':     // APPENDS
    case 0x90: {  // ADDITEMS
      const auto items = popMarked();
      addItems(top(), instruction == 'e' ? Kind::List : Kind::Set, items);
      return true;
    }
    case 'u': {  // SETITEMS
      const auto items = popMarked();
      addPairs(top(), items);
      return true;
    }
    default:
      return false;
  }
}

bool PickleMachine::memoStep(std::uint8_t instruction) {
  switch (instruction) {
    case 'q':
      remember(m_cursor.u8());
      return true;
    case 'r':
      remember(m_cursor.u32());
      return true;
    case 0x94:
      remember(m_memo.size());
      return true;  // MEMOIZE
    case 'h':
      recall(m_cursor.u8());
      return true;
    case 'j':
      recall(m_cursor.u32());
      return true;
    default:
      return false;
  }
}

PickleValue* PickleMachine::make(Kind kind) {
  if (m_pickle.arena.size() >= kMaxValues)
    fail(tr("holds more than ") + std::to_string(kMaxValues) + " values");
  PickleValue& value = m_pickle.arena.emplace_back();
  value.kind = kind;
  return &value;
}

void PickleMachine::push(PickleValue* value) {
  if (m_stack.size() >= kMaxValues)
    fail(tr("holds more than ") + std::to_string(kMaxValues) + tr(" values at once"));
  m_stack.push_back(value);
}

void PickleMachine::pushInteger(std::int64_t value) {
  push(make(Kind::Int));
  top()->integer = value;
}

void PickleMachine::pushLong(std::uint64_t bytes) {
  const std::string_view raw = m_cursor.bytes(bytes);
  if (raw.size() > 8) {
    push(husk("an integer of more than 64 bits", nullptr));
    return;
  }
  // Two's complement, little-endian, as few bytes as needed: the last one carries the sign.
  std::uint64_t value = !raw.empty() && (raw.back() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
  for (std::size_t i = raw.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(raw[i]);
  pushInteger(static_cast<std::int64_t>(value));
}

void PickleMachine::pushText(Kind kind, std::uint64_t bytes) {
  const std::string_view raw = m_cursor.bytes(bytes);
  push(make(kind));
  if (kind == Kind::String) top()->text = raw;
}

PickleValue* PickleMachine::pop() {
  PickleValue* value = top();
  m_stack.pop_back();
  return value;
}

PickleValue* PickleMachine::top() {
  const std::size_t floor = m_marks.empty() ? 0 : m_marks.back();
  if (m_stack.size() <= floor) fail(tr("takes a value from an empty stack"));
  return m_stack.back();
}

std::vector<PickleValue*> PickleMachine::popMarked() {
  if (m_marks.empty()) fail(tr("returns to a mark that was never set"));
  const auto begin = m_stack.begin() + static_cast<std::ptrdiff_t>(m_marks.back());
  std::vector<PickleValue*> items(begin, m_stack.end());
  m_stack.erase(begin, m_stack.end());
  m_marks.pop_back();
  return items;
}

void PickleMachine::hold(PickleValue* container, const PickleValue* item) const {
  container->depth = std::max(container->depth, item->depth + 1);
  if (container->depth > kMaxDepth)
    fail(tr("nests its containers more than ") + std::to_string(kMaxDepth) + " deep");
  container->items.push_back(item);
}

void PickleMachine::pushContainer(Kind kind, const std::vector<PickleValue*>& items) {
  PickleValue* container = make(kind);
  for (const PickleValue* item : items)
    hold(container, item);
  push(container);
}

void PickleMachine::addItems(PickleValue* container, Kind wanted,
                             const std::vector<PickleValue*>& items) const {
  if (container->kind == Kind::Husk) return;  // a subclass of list, say: as opaque as before
  if (container->kind != wanted) fail(tr("adds items to ") + container->describe());
  for (const PickleValue* item : items)
    hold(container, item);
}

void PickleMachine::addPairs(PickleValue* dict, const std::vector<PickleValue*>& items) const {
  if (items.size() % 2 != 0) fail(tr("sets an item without a value"));
  if (dict->kind == Kind::Husk) return;  // a defaultdict, say
  if (!dict->isDict()) fail(tr("sets an item on ") + dict->describe());
  for (std::size_t i = 0; i < items.size(); i += 2) {
    const Kind key = items[i]->kind;
    if (key == Kind::List || key == Kind::Set || items[i]->isDict())
      fail("uses " + items[i]->describe() + tr(" as a key"));
    hold(dict, items[i]);
    hold(dict, items[i + 1]);
  }
}

void PickleMachine::remember(std::uint64_t slot) {
  if (m_memo.size() >= kMaxValues) fail(tr("stores more values than it can hold"));
  m_memo[slot] = top();
}

void PickleMachine::recall(std::uint64_t slot) {
  const auto found = m_memo.find(slot);
  if (found == m_memo.end())
    fail(tr("recalls the value ") + std::to_string(slot) + tr(", which it never stored"));
  push(found->second);
}

}  // namespace headlight
