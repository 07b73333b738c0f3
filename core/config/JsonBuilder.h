// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A JSON value from the parser's events. Internal to core/config: behind ConfigText's limits.

#include <string>
#include <utility>
#include <vector>

#include "core/base/Translation.h"
#include "core/config/ConfigText.h"

namespace headlight {

/// Builds one value. No key may be there twice: each is added without being looked for among those
/// before it, so that time grows with the text alone.
class JsonBuilder : public JsonEvents {
 public:
  Json take() { return std::move(m_root); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // JSON has none
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    auto& members = m_open.back()->get_ref<Json::object_t&>();
    members.emplace_back(std::move(key), Json());
    m_member = &members.back().second;
    return true;
  }

  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& exception) override {
    throw Failure(
        {ErrorCode::InvalidConfig, tr("is not valid JSON: ") + failureMessage(exception), ""});
  }

 private:
  /// Where the value went. What is open does not move: nothing joins a list or an object while one
  /// of its values is open.
  Json* place(Json value) {
    if (m_open.empty()) return &(m_root = std::move(value));
    if (!m_open.back()->is_array()) return &(*m_member = std::move(value));
    m_open.back()->push_back(std::move(value));
    return &m_open.back()->back();
  }

  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  bool open(Json empty) {
    m_open.push_back(place(std::move(empty)));
    return true;
  }

  bool close() {
    m_open.pop_back();
    return true;
  }

  Json m_root;
  std::vector<Json*> m_open;
  Json* m_member = nullptr;  ///< that the last key is of
};

}  // namespace headlight
