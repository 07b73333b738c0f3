// SPDX-License-Identifier: GPL-3.0-or-later

// JSON is parsed in one place, within limits (core/config/ConfigText.h): a parser that is called
// elsewhere builds values of any depth, which are then walked by functions that call themselves.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace headlight::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kSources = HEADLIGHT_SOURCE_DIR;
constexpr const char* kTheOnePlace = "core/config/ConfigText.cpp";

/// Whether a line calls a parser of nlohmann's or Qt's. Comments say nothing.
bool parsesJson(const std::string& line) {
  static const std::regex call(R"(json\s*::\s*(parse|sax_parse|accept|from_[a-z]+)\s*\()"
                               R"(|QJson[A-Z]|json_sax_dom|"_json\b|>>\s*json\b)",
                               std::regex::icase);
  const std::string code = line.substr(0, line.find("//"));
  return code.find("son") != std::string::npos && std::regex_search(code, call);
}

std::vector<std::string> callsIn(const fs::path& file) {
  std::vector<std::string> calls;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (parsesJson(line)) calls.push_back(line);
  return calls;
}

TEST(JsonParsers, CallsAreToldFromWhatIsNone) {
  for (const char* call :
       {"const auto json = nlohmann::json::parse(text, nullptr, false);",
        "  Json value = Json::parse(text);", "return nlohmann::ordered_json :: parse (text);",
        "Json::sax_parse(text.begin(), text.end(), &watch);", "if (Json::accept(text))",
        "json::from_cbor(bytes)", "QJsonDocument::fromJson(bytes)", "stream >> json;",
        "const auto json = \"{}\"_json;"})
    EXPECT_TRUE(parsesJson(call)) << call;
  for (const char* other :
       {"const auto json = parseConfigJson(text, name);", "// Json::parse(text) is not for files",
        "Json json = Json::object();", "experimentFromJson(json, modelCatalog())",
        "const Json line = jsonOrDiscarded(text);", "Json::diff(a, b)", "out << json.dump();"})
    EXPECT_FALSE(parsesJson(other)) << other;
}

TEST(JsonParsers, OnlyOneSourceCallsThem) {
  std::size_t looked = 0;
  for (const char* top : {"core", "ui", "app"})
    for (const auto& entry : fs::recursive_directory_iterator(kSources / top)) {
      const std::string ending = entry.path().extension().string();
      if (!entry.is_regular_file() || (ending != ".cpp" && ending != ".h" && ending != ".in"))
        continue;
      ++looked;
      const std::string file = fs::relative(entry.path(), kSources).generic_string();
      if (file == kTheOnePlace) continue;
      for (const std::string& call : callsIn(entry.path()))
        ADD_FAILURE() << file << " parses JSON by itself, without limits: " << call
                      << "\n  parseConfigJson and jsonOrDiscarded (core/config/ConfigText.h) do it";
    }
  EXPECT_GT(looked, 500u) << "the sources were not found";
  EXPECT_EQ(callsIn(kSources / kTheOnePlace).size(), 1u);
}

}  // namespace
}  // namespace headlight::testing
