// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One table of parameters per struct. JSON reading and writing, validation, command-line flags,
// help text and the form in the window all come from that table.

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/Result.h"

namespace headlight {

using Json = nlohmann::ordered_json;

enum class ParameterType { Bool, Integer, Number, Text, Choice, NumberList, IntegerList };

struct Parameter {
  std::string name;  ///< the JSON key; the flag is --section.name
  ParameterType type = ParameterType::Text;
  std::string help;  ///< what it is, with the unit
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices;      ///< of a Choice
  std::vector<std::string> formerNames;  ///< JSON keys and flags of before, still accepted
  /// Values of a Choice of before, still accepted, and what they are called now.
  std::vector<std::pair<std::string, std::string>> formerChoices;
  std::size_t listLength = 0;  ///< of a NumberList; 0: any, up to kMaxListLength
  std::string catalog;         ///< of a Text that names a registered thing: "backbone"
  Json defaultValue;
  std::function<Json(const void* target)> get;
  std::function<void(void* target, const Json& value)> set;    ///< of a value that was checked
  std::function<Result<void>(const std::string& text)> check;  ///< of a Text with a grammar

  std::string typeText() const;                 ///< "whole number, 1 to 512", "one of: a, b"
  bool isNamed(const std::string& text) const;  ///< by its name or a former one
  /// Sets it in `object` by its present name; former names are removed there.
  void assign(Json& object, Json value) const;
  /// `value` as it is called now: that of a former choice is replaced.
  Json present(const Json& value) const;
};

using ParameterTable = std::vector<Parameter>;
constexpr std::size_t kMaxListLength = 64;

/// The parameter of that name or former name, or null.
const Parameter* findParameter(const ParameterTable& table, const std::string& name);

/// Ok if `value` has the parameter's type and range. `path` is the JSON path for the message.
Result<void> checkParameter(const Parameter& parameter, const Json& value, const std::string& path);

/// Reads an object into `target`: keys left out keep their values; unknown keys (other than
/// `alsoAllowed`), wrong types and values out of range are errors naming `path`.key.
Result<void> readParameters(const ParameterTable& table, const Json& object, void* target,
                            const std::string& path,
                            const std::vector<std::string>& alsoAllowed = {});

/// The same for options that are kept as JSON: those of `given`, and of `base` where `given` leaves
/// them out. Keys of `base` that the table lacks are dropped.
Result<Json> readOptions(const ParameterTable& table, const Json& given, const Json& base,
                         const std::string& path);

/// Every parameter of the table: from `options`, else its default.
Json completeOptions(const ParameterTable& table, const Json& options);

/// `options` by the first names that the table's parameters ever had: for digests, which must not
/// change when a name does.
Json firstNamed(const ParameterTable& table, const Json& options);

/// Every parameter of `target`, in the order of the table.
Json writeParameters(const ParameterTable& table, const void* target);

/// A flag's text as JSON of the parameter's type ("0.5" for a Number, "a,b,c" for a list).
Result<Json> parameterFromText(const Parameter& parameter, const std::string& text,
                               const std::string& path);

/// The closest of `names` to a misspelt `name`, or empty if none is close.
std::string closestName(const std::string& name, const std::vector<std::string>& names);

/// Builds a table for struct S. Defaults are those of S{}.
template <typename S>
class TableBuilder {
 public:
  TableBuilder& boolean(bool S::*member, std::string name, std::string help) {
    return add(member, std::move(name), ParameterType::Bool, std::move(help));
  }
  template <typename T>
  TableBuilder& integer(T S::*member, std::string name, double minimum, double maximum,
                        std::string help) {
    add(member, std::move(name), ParameterType::Integer, std::move(help));
    return range(minimum, maximum);
  }
  TableBuilder& number(double S::*member, std::string name, double minimum, double maximum,
                       std::string help) {
    add(member, std::move(name), ParameterType::Number, std::move(help));
    return range(minimum, maximum);
  }
  TableBuilder& text(std::string S::*member, std::string name, std::string help) {
    return add(member, std::move(name), ParameterType::Text, std::move(help));
  }
  /// A text that `check` reads; its errors need not say the path.
  TableBuilder& spelled(std::string S::*member, std::string name,
                        std::function<Result<void>(const std::string& text)> check,
                        std::string help) {
    add(member, std::move(name), ParameterType::Text, std::move(help));
    m_table.back().check = std::move(check);
    return *this;
  }
  TableBuilder& choice(std::string S::*member, std::string name, std::vector<std::string> choices,
                       std::string help) {
    add(member, std::move(name), ParameterType::Choice, std::move(help));
    m_table.back().choices = std::move(choices);
    return *this;
  }
  TableBuilder& numbers(std::vector<double> S::*member, std::string name, std::size_t length,
                        double minimum, double maximum, std::string help) {
    add(member, std::move(name), ParameterType::NumberList, std::move(help));
    m_table.back().listLength = length;
    return range(minimum, maximum);
  }
  /// Any number of whole numbers, one a stage, up to kMaxListLength.
  TableBuilder& integers(std::vector<int> S::*member, std::string name, double minimum,
                         double maximum, std::string help) {
    add(member, std::move(name), ParameterType::IntegerList, std::move(help));
    return range(minimum, maximum);
  }
  /// The parameter that was added last was called so before; files and scripts may still.
  TableBuilder& formerly(std::string name) {
    m_table.back().formerNames.push_back(std::move(name));
    return *this;
  }
  /// A choice of the parameter that was added last was called so before.
  TableBuilder& formerChoice(std::string before, std::string now) {
    m_table.back().formerChoices.emplace_back(std::move(before), std::move(now));
    return *this;
  }
  /// A name out of a catalog that is known only to the folders below.
  TableBuilder& registered(std::string S::*member, std::string name, std::string help) {
    add(member, name, ParameterType::Text, std::move(help));
    m_table.back().catalog = std::move(name);
    return *this;
  }
  ParameterTable build() { return std::move(m_table); }

 private:
  template <typename T>
  TableBuilder& add(T S::*member, std::string name, ParameterType type, std::string help) {
    Parameter parameter;
    parameter.name = std::move(name);
    parameter.type = type;
    parameter.help = std::move(help);
    parameter.defaultValue = S{}.*member;
    parameter.get = [member](const void* target) {
      return Json(static_cast<const S*>(target)->*member);
    };
    parameter.set = [member](void* target, const Json& value) {
      static_cast<S*>(target)->*member = value.get<T>();
    };
    m_table.push_back(std::move(parameter));
    return *this;
  }
  TableBuilder& range(double minimum, double maximum) {
    m_table.back().minimum = minimum;
    m_table.back().maximum = maximum;
    return *this;
  }

  ParameterTable m_table;
};

}  // namespace headlight
