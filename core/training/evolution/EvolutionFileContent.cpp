// SPDX-License-Identifier: GPL-3.0-or-later

// EvolutionFile.h: what stands in its records.

#include <bit>
#include <cmath>
#include <limits>

#include "core/base/Translation.h"
#include "core/config/ConfigText.h"
#include "core/config/Parameter.h"
#include "core/training/evolution/EvolutionFile.h"
#include "core/training/tensorboard/Protobuf.h"

namespace headlight {
namespace {

/// What no model has, so that sizes can be multiplied.
constexpr std::int64_t kMostSide = 1024, kMostPrefix = 66, kMostLayerHeads = 4096,
                       kMostLayers = 4096, kMostImages = 64, kMostPointBytes = 1ll << 30;
/// For a JSON object, whose values take many times its text; of a class's name, which every
/// prediction repeats; of the classes that are predicted of an image.
constexpr std::size_t kMostDescription = 64u << 20, kLongestClassName = 4096, kMostTop = 64;

[[noreturn]] void refuseContent(const std::string& what) {
  throw Failure({ErrorCode::InvalidFile, tr("has an invalid record: ") + what, kEvolutionFile});
}

/// Takes pieces off the front of a content.
class Pieces {
 public:
  explicit Pieces(std::string_view content) : m_rest(content) {}

  std::string_view take(std::size_t size) {
    if (size > m_rest.size()) refuseContent(tr("it ends early"));
    const std::string_view piece = m_rest.substr(0, size);
    m_rest.remove_prefix(size);
    return piece;
  }
  std::uint32_t number(int bytes) {
    const std::string_view piece = take(static_cast<std::size_t>(bytes));
    std::uint32_t value = 0;
    for (int i = bytes - 1; i >= 0; --i)
      value = value << 8 | static_cast<std::uint8_t>(piece[static_cast<std::size_t>(i)]);
    return value;
  }
  Json object() {
    const std::size_t size = number(4);
    if (size > kMostDescription) refuseContent(tr("its description is larger than 64 MB"));
    Json json = jsonOrDiscarded(take(size));
    if (!json.is_object()) refuseContent(tr("its description is not JSON"));
    return json;
  }
  bool empty() const { return m_rest.empty(); }

 private:
  std::string_view m_rest;
};

std::string withLength(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string bytes;
  appendLittleEndian(bytes, text.size(), 4);
  return bytes + text;
}

const Json& member(const Json& json, const char* key, Json::value_t type) {
  const auto found = json.find(key);
  if (found == json.end() || found->type() != type)
    refuseContent(std::string("its ").append(key) + tr(" is missing"));
  return *found;
}

std::int64_t integerIn(const Json& json, const char* key, std::int64_t least, std::int64_t most) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) refuseContent(tr("a number is missing"));
  const auto value = found->get<std::int64_t>();
  if (value < least || value > most) refuseContent(tr("a number is out of range"));
  return value;
}

std::string textIn(const Json& json, const char* key) {
  return member(json, key, Json::value_t::string).get<std::string>();
}
const Json& listIn(const Json& json, const char* key) {
  return member(json, key, Json::value_t::array);
}

Json layerJson(const EvolutionLayer& layer) {
  return {{"heads", layer.heads},
          {"rows", layer.grid.rows},
          {"columns", layer.grid.cols},
          {"prefix", layer.grid.prefix},
          {"registers", layer.grid.registers},
          {"queries", layer.queries}};
}

EvolutionLayer layerFrom(const Json& json) {
  if (!json.is_object()) refuseContent(tr("a layer is invalid"));
  EvolutionLayer layer;
  layer.heads = static_cast<int>(integerIn(json, "heads", 0, kMostLayerHeads));
  layer.grid.rows = static_cast<int>(integerIn(json, "rows", 0, kMostSide));
  layer.grid.cols = static_cast<int>(integerIn(json, "columns", 0, kMostSide));
  layer.grid.prefix = static_cast<int>(integerIn(json, "prefix", 0, kMostPrefix));
  if (json.contains("registers"))  // files of earlier programs have none
    layer.grid.registers = static_cast<int>(integerIn(json, "registers", 0, layer.grid.prefix));
  for (const Json& query : listIn(json, "queries")) {
    if (!query.is_number_integer()) refuseContent(tr("a query is not a number"));
    const auto token = query.get<std::int64_t>();
    if (token < kMeanOfPatches || token >= layer.grid.tokens())
      refuseContent(tr("a query is not a token"));
    layer.queries.push_back(static_cast<int>(token));
  }
  if (layer.queries.size() > static_cast<std::size_t>(layer.grid.tokens()) + 1)
    refuseContent(tr("a layer has more rows than tokens"));
  return layer;
}

EvolutionImage imageFrom(const Json& json, Pieces& pieces) {
  if (!json.is_object()) refuseContent(tr("an image is invalid"));
  EvolutionImage image;
  image.index = integerIn(json, "index", 0, std::numeric_limits<std::int64_t>::max());
  image.label = static_cast<int>(integerIn(json, "label", 0, 1 << 30));
  image.name = textIn(json, "name");
  image.png = pieces.take(static_cast<std::size_t>(integerIn(json, "bytes", 0, 1 << 30)));
  return image;
}

Json numbersJson(const std::vector<std::vector<float>>& rows) {
  return rows;  // NaN (not soft) becomes null
}

/// [layer][head], of any shape; what is no number is NaN.
std::vector<std::vector<float>> numbersFrom(const Json& json) {
  std::vector<std::vector<float>> rows;
  for (const Json& row : json) {
    if (!row.is_array()) refuseContent(tr("a row of numbers is invalid"));
    rows.emplace_back();
    for (const Json& value : row)
      rows.back().push_back(value.is_number() ? value.get<float>()
                                              : std::numeric_limits<float>::quiet_NaN());
  }
  return rows;
}

void appendRows(std::string& bytes, const QuantizedRows& rows) {
  bytes.append(rows.codes.begin(), rows.codes.end());
  for (const float scale : rows.scales)
    appendLittleEndian(bytes, std::bit_cast<std::uint32_t>(scale), 4);
}

QuantizedRows rowsFrom(Pieces& pieces, std::int64_t rows, std::int64_t width) {
  if (rows > kMostPointBytes / (width + 4)) refuseContent(tr("its maps are too large"));
  QuantizedRows read;
  const std::string_view codes = pieces.take(static_cast<std::size_t>(rows * width));
  read.codes.assign(codes.begin(), codes.end());
  for (std::int64_t i = 0; i < rows; ++i)
    read.scales.push_back(std::bit_cast<float>(pieces.number(4)));
  return read;
}

EvolutionTensor tensorFrom(const Json& json) {
  if (!json.is_object()) refuseContent(tr("a tensor is invalid"));
  EvolutionTensor tensor;
  tensor.name = textIn(json, "name");
  for (const Json& size : listIn(json, "shape")) {
    if (!size.is_number_integer()) refuseContent(tr("a tensor's shape is invalid"));
    tensor.shape.push_back(size.get<std::int64_t>());
  }
  return tensor;
}

void readHalves(EvolutionTensor& tensor, Pieces& pieces) {
  std::int64_t values = 1;
  for (const std::int64_t size : tensor.shape) {
    if (size < 0 || size > kMostPointBytes || (size > 0 && values > kMostPointBytes / size))
      refuseContent(tr("a tensor is too large"));
    values *= size;
  }
  const std::string_view bytes = pieces.take(static_cast<std::size_t>(2 * values));
  for (std::size_t i = 0; i < bytes.size(); i += 2)
    tensor.halves.push_back(static_cast<std::uint16_t>(
        static_cast<std::uint8_t>(bytes[i]) |
        static_cast<unsigned>(static_cast<std::uint8_t>(bytes[i + 1])) << 8));
}

std::vector<std::pair<int, float>> classesFrom(const Json& json) {
  std::vector<std::pair<int, float>> top;
  if (!json.is_array() || json.size() > kMostTop) refuseContent(tr("a prediction is invalid"));
  for (const Json& item : json) {
    if (!item.is_array() || item.size() != 2 || !item[0].is_number_integer())
      refuseContent(tr("a prediction is invalid"));
    top.emplace_back(item[0].get<int>(), item[1].is_number()
                                             ? item[1].get<float>()
                                             : std::numeric_limits<float>::quiet_NaN());
  }
  return top;
}

}  // namespace

std::vector<float> rowValues(const QuantizedRows& rows, std::size_t row, std::size_t width,
                             bool isSigned) {
  std::vector<float> values(width);
  const float scale = rows.scales[row];
  const float step = scale / (isSigned ? 127.0f : 255.0f);
  for (std::size_t i = 0; i < width; ++i)
    values[i] = step * static_cast<float>(rows.codes[row * width + i] - (isSigned ? 128 : 0));
  return values;
}

std::string beginningContent(const EvolutionBeginning& beginning) {
  Json layers = Json::array(), images = Json::array();
  for (const EvolutionLayer& layer : beginning.layers)
    layers.push_back(layerJson(layer));
  std::string pngs;
  for (const EvolutionImage& image : beginning.images) {
    images.push_back({{"index", image.index},
                      {"label", image.label},
                      {"name", image.name},
                      {"bytes", image.png.size()}});
    pngs += image.png;
  }
  return withLength({{"run", beginning.run},
                     {"meaning", beginning.meaning},
                     {"signed", beginning.isSigned},
                     {"rows_sum_to_one", beginning.rowsSumToOne},
                     {"layers", layers},
                     {"pictures", images},
                     {"classes", beginning.classNames},
                     {"stride", beginning.stride}}) +
         pngs;
}

EvolutionBeginning beginningFrom(std::string_view content) {
  Pieces pieces(content);
  const Json json = pieces.object();
  EvolutionBeginning beginning;
  beginning.run = textIn(json, "run");
  beginning.meaning = textIn(json, "meaning");
  beginning.isSigned = member(json, "signed", Json::value_t::boolean).get<bool>();
  beginning.rowsSumToOne = member(json, "rows_sum_to_one", Json::value_t::boolean).get<bool>();
  beginning.stride = integerIn(json, "stride", 1, 1ll << 40);
  const Json &layers = listIn(json, "layers"), &images = listIn(json, "pictures");
  if (layers.empty() || layers.size() > kMostLayers || images.size() > kMostImages)
    refuseContent(tr("it has no layers, or too many"));
  for (const Json& layer : layers)
    beginning.layers.push_back(layerFrom(layer));
  for (const Json& image : images)
    beginning.images.push_back(imageFrom(image, pieces));
  for (const Json& name : listIn(json, "classes")) {
    beginning.classNames.push_back(name.is_string() ? name.get<std::string>() : "");
    if (beginning.classNames.back().size() > kLongestClassName)
      refuseContent(tr("a class has a name of more than 4096 bytes"));
  }
  if (!pieces.empty()) refuseContent(tr("it has more content than declared"));
  return beginning;
}

std::string pointContent(const EvolutionPoint& point) {
  Json tensors = Json::array();
  for (const EvolutionTensor& tensor : point.tensors)
    tensors.push_back({{"name", tensor.name}, {"shape", tensor.shape}});
  std::string bytes = withLength({{"step", point.step},
                                  {"epoch", point.epoch},
                                  {"als", numbersJson(point.locality)},
                                  {"alpha", numbersJson(point.alpha)},
                                  {"top", point.top},
                                  {"rollout", !point.rollout.scales.empty()},
                                  {"tensors", tensors}});
  for (const QuantizedRows& rows : point.maps)
    appendRows(bytes, rows);
  appendRows(bytes, point.rollout);
  for (const EvolutionTensor& tensor : point.tensors)
    for (const std::uint16_t half : tensor.halves)
      appendLittleEndian(bytes, half, 2);
  return bytes;
}

EvolutionPoint pointFrom(std::string_view content, const EvolutionBeginning& beginning) {
  Pieces pieces(content);
  const Json json = pieces.object();
  EvolutionPoint point;
  point.step = integerIn(json, "step", 0, std::numeric_limits<std::int64_t>::max());
  point.epoch = integerIn(json, "epoch", 0, std::numeric_limits<std::int64_t>::max());
  point.locality = numbersFrom(listIn(json, "als"));
  point.alpha = numbersFrom(listIn(json, "alpha"));
  for (const Json& classes : listIn(json, "top"))
    point.top.push_back(classesFrom(classes));
  if (point.top.size() != beginning.images.size()) refuseContent(tr("a prediction is missing"));
  const auto images = static_cast<std::int64_t>(beginning.images.size());
  for (const EvolutionLayer& layer : beginning.layers)
    point.maps.push_back(
        rowsFrom(pieces, images * layer.heads * static_cast<std::int64_t>(layer.queries.size()),
                 layer.grid.tokens()));
  if (member(json, "rollout", Json::value_t::boolean).get<bool>())
    point.rollout = rowsFrom(pieces, images, beginning.layers.front().grid.patches());
  for (const Json& tensor : listIn(json, "tensors"))
    readHalves(point.tensors.emplace_back(tensorFrom(tensor)), pieces);
  if (!pieces.empty()) refuseContent(tr("it has more content than declared"));
  return point;
}

}  // namespace headlight
