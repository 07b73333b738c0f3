// SPDX-License-Identifier: GPL-3.0-or-later

// PickleMachine.h: the few objects that it makes; all else stays opaque.

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/checkpoint/PickleMachine.h"
#include "core/checkpoint/Refusal.h"

namespace headlight {
namespace {

using c10::ScalarType;

constexpr std::size_t kMaxHuskNames = 20;
/// For what is named again and again: a long text would be looked at as often.
constexpr std::size_t kMaxReferenceBytes = 1024;

constexpr std::array<std::pair<std::string_view, ScalarType>, 10> kStorages{{
    {"DoubleStorage", ScalarType::Double},
    {"FloatStorage", ScalarType::Float},
    {"HalfStorage", ScalarType::Half},
    {"BFloat16Storage", ScalarType::BFloat16},
    {"LongStorage", ScalarType::Long},
    {"IntStorage", ScalarType::Int},
    {"ShortStorage", ScalarType::Short},
    {"CharStorage", ScalarType::Char},
    {"ByteStorage", ScalarType::Byte},
    {"BoolStorage", ScalarType::Bool},
}};

/// Whether a pickle that calls this was made to harm whoever loads it. Safety does not rest on this
/// list, since nothing is ever called: it only makes the message clear.
bool isAttack(std::string_view text) {
  static constexpr std::array<std::string_view, 9> kModules{
      "os", "posix", "nt", "subprocess", "pty", "runpy", "socket", "webbrowser", "ctypes"};
  static constexpr std::array<std::string_view, 6> kFunctions{"eval",    "exec",       "execfile",
                                                              "compile", "__import__", "open"};
  const auto is = [](std::string_view wanted) {
    return [wanted](std::string_view known) { return known == wanted; };
  };
  const std::string_view module = text.substr(0, text.find('.'));
  if (std::any_of(kModules.begin(), kModules.end(), is(module))) return true;
  const std::string_view name = text.substr(std::min(text.size(), module.size() + 1));
  return (module == "builtins" || module == "__builtin__") &&
         std::any_of(kFunctions.begin(), kFunctions.end(), is(name));
}

}  // namespace

bool PickleMachine::objectStep(std::uint8_t instruction) {
  switch (instruction) {
    case 'c': {  // GLOBAL
      const std::string_view module = m_cursor.line();
      pushGlobal(module, m_cursor.line());
      return true;
    }
    case 0x93: {  // STACK_GLOBAL
      const PickleValue* name = pop();
      const PickleValue* module = pop();
      if (name->kind != Kind::String || module->kind != Kind::String)
        fail(tr("names a Python object with something that is not text"));
      pushGlobal(module->text, name->text);
      return true;
    }
    case 'R':
      reduce();
      return true;
    case 'b':
      build();
      return true;
    case 0x81:
      newObject(false);
      return true;
    case 0x92:
      newObject(true);
      return true;
    case 'Q':
      pushPersistent();
      return true;
    default:
      return false;
  }
}

void PickleMachine::pushGlobal(std::string_view module, std::string_view name) {
  if (module.size() + name.size() > kMaxReferenceBytes)
    fail(tr("names a Python object in more than ") + std::to_string(kMaxReferenceBytes) + " bytes");
  if (module == "collections" && name == "OrderedDict") {
    push(make(Kind::OrderedDictType));
  } else if (module == "torch._utils" && name == "_rebuild_tensor_v2") {
    push(make(Kind::RebuildTensor));
  } else if (module == "torch._utils" && name == "_rebuild_parameter") {
    push(make(Kind::RebuildParameter));
  } else {
    const auto* storage = std::find_if(kStorages.begin(), kStorages.end(),
                                       [&](const auto& known) { return known.first == name; });
    if (module == "torch" && storage != kStorages.end()) {
      push(make(Kind::StorageType));
      top()->dtype = storage->second;
      return;
    }
    // inQuotes() because the name goes into messages; without its quotes.
    const std::string text = inQuotes(std::string(module) + "." + std::string(name));
    push(husk(text.substr(1, text.size() - 2), nullptr));
    if (m_pickle.husks.size() < kMaxHuskNames) m_pickle.husks.insert(top()->text);
  }
}

PickleValue* PickleMachine::husk(const std::string& text, const PickleValue* inside) {
  PickleValue* value = make(Kind::Husk);
  value->text = text;
  if (inside != nullptr) {
    hold(value, inside);  // for the depth
    value->items.clear();
  }
  return value;
}

void PickleMachine::reduce() {
  const PickleValue* arguments = pop();
  const PickleValue* callable = pop();
  if (arguments->kind != Kind::Tuple) fail(tr("calls something with ") + arguments->describe());
  switch (callable->kind) {
    case Kind::OrderedDictType:
      if (!arguments->items.empty()) fail(tr("fills an OrderedDict in an unknown form"));
      push(make(Kind::OrderedDict));
      break;
    case Kind::RebuildTensor:
      push(rebuildTensor(*arguments));
      break;
    case Kind::RebuildParameter: {
      // (data, requires_grad, hooks): a parameter is its data to us.
      const PickleValue* data = arguments->items.empty() ? nullptr : arguments->items.front();
      if (data == nullptr || (data->kind != Kind::Tensor && data->kind != Kind::Husk))
        fail(tr("rebuilds a parameter without a tensor"));
      push(make(data->kind));
      *top() = *data;
      break;
    }
    case Kind::Husk:
      if (isAttack(callable->text))
        fail("calls " + callable->text +
             tr(", which no checkpoint needs: the file is built to attack programs that load it"));
      push(husk(callable->text, arguments));
      break;
    default:
      fail("calls " + callable->describe());
  }
}

void PickleMachine::build() {
  const PickleValue* state = pop();
  PickleValue* object = top();
  if (object->kind == Kind::Husk) {
    // A module's holds its tensors. What is built twice keeps the first.
    if (state->isDict() && object->items.empty()) hold(object, state);
    return;
  }
  // torch's state dictionaries carry an attribute, `_metadata`: versions of modules, of no use
  // here.
  if (object->kind == Kind::OrderedDict && state->isDict()) return;
  fail(tr("sets the state of ") + object->describe());
}

void PickleMachine::newObject(bool withKeywords) {
  if (withKeywords && !pop()->isDict()) fail(tr("makes an object with invalid keywords"));
  const PickleValue* arguments = pop();
  const PickleValue* type = pop();
  if (arguments->kind != Kind::Tuple) fail(tr("makes an object from ") + arguments->describe());
  if (type->kind != Kind::Husk) fail(tr("makes an object of ") + type->describe());
  if (isAttack(type->text))
    fail(tr("makes a ") + type->text +
         tr(", which no checkpoint needs: the file is built to attack programs that load it"));
  push(husk(type->text, arguments));
}

/// ('storage', type, key, location, elements[, None])
void PickleMachine::pushPersistent() {
  const PickleValue* id = pop();
  const auto& parts = id->items;
  const bool sized = parts.size() == 5 || parts.size() == 6;
  const bool wellFormed = id->kind == Kind::Tuple && sized && parts[0]->kind == Kind::String &&
                          parts[0]->text == "storage" && parts[2]->kind == Kind::String &&
                          parts[4]->kind == Kind::Int && parts[4]->integer >= 0;
  if (!wellFormed) fail(tr("refers to an external object that is not a storage"));
  if (parts.size() == 6 && parts[5]->kind != Kind::None)
    fail(tr("has views of storages, as torch before 0.4 wrote them"));
  if (parts[1]->kind == Kind::Husk) {  // of complex numbers, say
    push(husk(parts[1]->text, nullptr));
    return;
  }
  if (parts[1]->kind != Kind::StorageType) fail(tr("refers to a storage without a type"));
  const std::string& key = parts[2]->text;
  if (key.size() > kMaxReferenceBytes)
    fail(tr("names a storage in more than ") + std::to_string(kMaxReferenceBytes) + " bytes");
  const std::optional<std::uint64_t> available = m_storageBytes(key);
  if (!available)
    fail(tr("refers to the storage ") + inQuotes(key) + tr(", which the file does not have"));
  const auto elements = static_cast<std::uint64_t>(parts[4]->integer);
  if (elements > *available / c10::elementSize(parts[1]->dtype))
    fail(tr("says that storage ") + inQuotes(key) + " has " + std::to_string(elements) +
         tr(" elements, but the file has only ") + std::to_string(*available) + tr(" bytes of it"));
  push(make(Kind::Storage));
  top()->dtype = parts[1]->dtype;
  top()->text = key;
  top()->integer = parts[4]->integer;
}

/// (storage, offset, sizes, strides, requires_grad, hooks[, metadata])
PickleValue* PickleMachine::rebuildTensor(const PickleValue& arguments) {
  const auto& parts = arguments.items;
  if (parts.size() < 6 || parts.size() > 7)
    fail(tr("rebuilds a tensor with the wrong number of arguments"));
  if (parts[0]->kind == Kind::Husk) return husk("a tensor of " + parts[0]->text, nullptr);
  if (parts[0]->kind != Kind::Storage) fail(tr("rebuilds a tensor without a storage"));
  if (parts[1]->kind != Kind::Int) fail(tr("gives a tensor an offset that is not a number"));
  auto view = std::make_shared<PickleView>();
  view->offset = parts[1]->integer;
  view->sizes = integers(*parts[2], "sizes");
  view->strides = integers(*parts[3], "strides");
  checkView(*view, *parts[0]);
  PickleValue* tensor = make(Kind::Tensor);
  tensor->items = {parts[0]};
  tensor->view = std::move(view);
  return tensor;
}

std::vector<std::int64_t> PickleMachine::integers(const PickleValue& tuple,
                                                  const char* what) const {
  if (tuple.items.size() > kMaxDimensions)
    fail(tr("gives a tensor more than ") + std::to_string(kMaxDimensions) + " " + what +
         tr(", which is impossible"));
  std::vector<std::int64_t> values;
  bool allAre = tuple.kind == Kind::Tuple;
  for (const PickleValue* item : tuple.items) {
    allAre = allAre && item->kind == Kind::Int && item->integer >= 0;
    values.push_back(item->integer);
  }
  if (!allAre) fail(std::string(tr("gives a tensor ")) + what + tr(" that are not numbers from 0"));
  return values;
}

void PickleMachine::checkView(const PickleView& view, const PickleValue& storage) const {
  const auto bytes =
      byteCount(view.sizes, static_cast<std::int64_t>(c10::elementSize(storage.dtype)));
  const std::string what = "has a tensor of shape " + shapeText(view.sizes) + ", strides " +
                           shapeText(view.strides) + " and offset " + std::to_string(view.offset);
  if (!bytes || view.sizes.size() != view.strides.size() || view.offset < 0)
    fail(what + tr(", which is impossible"));
  // One past the last element it touches.
  std::int64_t end = view.offset;
  bool inside = *bytes == 0 || !__builtin_add_overflow(end, 1, &end);
  for (std::size_t i = 0; *bytes > 0 && i < view.sizes.size(); ++i) {
    std::int64_t reach = 0;
    inside = inside && !__builtin_mul_overflow(view.sizes[i] - 1, view.strides[i], &reach) &&
             !__builtin_add_overflow(end, reach, &end);
  }
  if (!inside || end > storage.integer)
    fail(what + tr(", which reaches beyond its storage of ") + std::to_string(storage.integer) +
         " elements");
}

}  // namespace headlight
