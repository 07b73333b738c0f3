// SPDX-License-Identifier: GPL-3.0-or-later

// Queries and keys on the sphere beside eigenvectors by Jacobi's rotations, in plain loops.

#include "core/workbench/mechanisms/SphereImage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/base/files/Files.h"
#include "core/workbench/figures/SphereFigure.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

using SphereRow = std::vector<double>;

/// Two windows or one, two heads, of a 3 × 4 grid and a class token; features of unlike spread.
ImagePairs drawnPairs(int width, int groups) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  ImagePairs pairs;
  pairs.grid = Grid{3, 4, 1};
  pairs.modelLayers = 3;
  LayerPairs layer;
  layer.layer = 1;
  layer.groups = groups;
  layer.heads = 2;
  layer.queries = layer.keys = pairs.grid.tokens();
  layer.width = width;
  layer.grid = pairs.grid;
  layer.tokens = groups == 1;
  for (std::vector<float>* values : {&layer.q, &layer.k})
    for (int i = 0; i < groups * 2 * layer.queries * width; ++i)
      values->push_back(normal(random) * static_cast<float>(1 + (i % width) * (i % width)));
  pairs.layers.push_back(layer);
  return pairs;
}

std::vector<SphereRow> naiveRows(const LayerPairs& layer, const std::vector<float>& values,
                                 int head) {
  std::vector<SphereRow> rows;
  for (int g = 0; g < layer.groups; ++g)
    for (int t = 0; t < layer.queries; ++t) {
      SphereRow row;
      for (int f = 0; f < layer.width; ++f)
        row.push_back(values[((g * layer.heads + head) * layer.queries + t) * layer.width + f]);
      rows.push_back(row);
    }
  return rows;
}

double naiveLength(const SphereRow& row) {
  double sum = 0;
  for (const double value : row)
    sum += value * value;
  return std::sqrt(sum);
}

struct NaiveAxis {
  double value = 0;
  SphereRow vector;
};

/// Of a symmetric matrix, the largest first.
std::vector<NaiveAxis> jacobi(std::vector<SphereRow> a) {
  const std::size_t n = a.size();
  std::vector<SphereRow> v(n, SphereRow(n));
  for (std::size_t i = 0; i < n; ++i)
    v[i][i] = 1;
  for (int sweep = 0; sweep < 60; ++sweep)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        const double angle = 0.5 * std::atan2(2 * a[p][q], a[p][p] - a[q][q]);
        const double c = std::cos(angle), s = std::sin(angle);
        for (std::size_t i = 0; i < n; ++i) {
          const double x = a[i][p], y = a[i][q];
          a[i][p] = c * x + s * y, a[i][q] = c * y - s * x;
        }
        for (std::size_t i = 0; i < n; ++i) {
          const double x = a[p][i], y = a[q][i];
          a[p][i] = c * x + s * y, a[q][i] = c * y - s * x;
        }
        for (std::size_t i = 0; i < n; ++i) {
          const double x = v[i][p], y = v[i][q];
          v[i][p] = c * x + s * y, v[i][q] = c * y - s * x;
        }
      }
  std::vector<NaiveAxis> axes(n);
  for (std::size_t k = 0; k < n; ++k) {
    axes[k].value = a[k][k];
    for (std::size_t i = 0; i < n; ++i)
      axes[k].vector.push_back(v[i][k]);
  }
  std::sort(axes.begin(), axes.end(),
            [](const NaiveAxis& x, const NaiveAxis& y) { return x.value > y.value; });
  return axes;
}

/// As SphereImage.h has it, by its definition.
std::vector<NaiveAxis> naiveSphereAxes(const LayerPairs& layer, int head) {
  std::vector<SphereRow> moments(layer.width, SphereRow(layer.width));
  for (const std::vector<float>* values : {&layer.q, &layer.k})
    for (const SphereRow& row : naiveRows(layer, *values, head))
      for (int i = 0; i < layer.width; ++i)
        for (int j = 0; j < layer.width; ++j)
          moments[i][j] += row[i] * row[j] / std::pow(naiveLength(row), 2);
  std::vector<NaiveAxis> axes = jacobi(moments);
  for (NaiveAxis& axis : axes) {
    double largest = 0;
    for (const double entry : axis.vector)
      if (std::abs(entry) > std::abs(largest)) largest = entry;
    for (double& entry : axis.vector)
      entry *= largest < 0 ? -1 : 1;
  }
  return axes;
}

void expectPoints(const SpherePoints& points, const std::vector<SphereRow>& rows,
                  const std::vector<NaiveAxis>& axes, int dimensions) {
  ASSERT_EQ(points.count(), static_cast<int>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SphereRow shown;
    for (int d = 0; d < dimensions; ++d) {
      double sum = 0;
      for (std::size_t f = 0; f < rows[i].size(); ++f)
        sum += axes[d].vector[f] * rows[i][f];
      shown.push_back(sum);
    }
    const double share = std::pow(naiveLength(shown) / naiveLength(rows[i]), 2);
    EXPECT_NEAR(points.shares[i], share, 1e-9);
    for (int d = 0; d < dimensions; ++d) {
      EXPECT_NEAR(points.inputs[i * dimensions + d], shown[d], 1e-6);
      EXPECT_NEAR(points.images[i * dimensions + d], shown[d] / naiveLength(shown), 1e-6);
    }
  }
}

TEST(SphereImage, IsThePcaOfUnitVectorsPutOnTheSphere) {
  for (const int groups : {1, 2})
    for (const int dimensions : {2, 3}) {
      const ImagePairs pairs = drawnPairs(6, groups);
      const auto table =
          sphereTable(pairs, {.layer = 1, .head = -1, .dimensions = dimensions, .token = -1});
      ASSERT_TRUE(table) << table.error().text();
      ASSERT_EQ(table->heads.size(), 2u);
      for (int head = 0; head < 2; ++head) {
        const SphereHead& shown = table->heads[head];
        const LayerPairs& layer = pairs.layers[0];
        const auto axes = naiveSphereAxes(layer, head);
        double all = 0;
        for (const NaiveAxis& axis : axes)
          all += axis.value;
        for (int d = 0; d < dimensions; ++d) {
          EXPECT_NEAR(shown.axisShares[d], axes[d].value / all, 1e-9);
          for (int f = 0; f < 6; ++f)
            EXPECT_NEAR(shown.axes[d * 6 + f], axes[d].vector[f], 1e-6);
        }
        expectPoints(shown.queries, naiveRows(layer, layer.q, head), axes, dimensions);
        expectPoints(shown.keys, naiveRows(layer, layer.k, head), axes, dimensions);
      }
      EXPECT_EQ(table->note, groups == 2 ? "all windows together" : "");
    }
}

/// Where the axes show everything, nothing is lost: angles are those of the inputs.
TEST(SphereImage, KeepsAnglesWhereItShowsAllFeatures) {
  const ImagePairs pairs = drawnPairs(3, 1);
  const auto table = sphereTable(pairs, {.layer = 1, .head = 0, .dimensions = 3, .token = -1});
  ASSERT_TRUE(table);
  const SphereHead& head = table->heads[0];
  const auto queries = naiveRows(pairs.layers[0], pairs.layers[0].q, 0),
             keys = naiveRows(pairs.layers[0], pairs.layers[0].k, 0);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    EXPECT_NEAR(head.queries.shares[i], 1, 1e-9);
    double inputs = 0, images = 0;
    for (int f = 0; f < 3; ++f) {
      inputs += queries[i][f] * keys[i][f];
      images += head.queries.images[3 * i + f] * head.keys.images[3 * i + f];
    }
    EXPECT_NEAR(images, inputs / naiveLength(queries[i]) / naiveLength(keys[i]), 1e-9);
  }
}

TEST(SphereImage, AVectorWithoutLengthStaysAtTheOrigin) {
  ImagePairs pairs = drawnPairs(4, 1);
  std::fill_n(pairs.layers[0].q.begin(), 4, 0.0f);
  const auto table = sphereTable(pairs, {.layer = 1, .head = 0, .dimensions = 2, .token = 0});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->heads[0].queries.images[0], 0);
  EXPECT_EQ(table->heads[0].queries.shares[0], 0);
  EXPECT_EQ(table->token, 0);
  EXPECT_FALSE(table->tokenText.empty());
}

TEST(SphereImage, WhatThereIsNotIsRefused) {
  const ImagePairs pairs = drawnPairs(2, 2);
  const auto refused = [&](const SphereOptions& options) {
    const auto table = sphereTable(pairs, options);
    EXPECT_FALSE(table);
    return table ? std::string() : table.error().text();
  };
  EXPECT_NE(refused({.layer = -1}).find("0 to 2"), std::string::npos);
  EXPECT_NE(refused({.layer = 3}).find("0 to 2"), std::string::npos);
  EXPECT_NE(refused({.layer = 0}).find("does not compare"), std::string::npos);
  EXPECT_NE(refused({.layer = 1, .head = 2}).find("no head 2"), std::string::npos);
  EXPECT_NE(refused({.layer = 1, .dimensions = 4}).find("2 or 3"), std::string::npos);
  EXPECT_NE(refused({.layer = 1, .dimensions = 3}).find("only 2"), std::string::npos);
  EXPECT_NE(refused({.layer = 1, .token = 13}).find("no token 13"), std::string::npos);
  const auto windows = sphereTable(pairs, {.layer = 1, .token = 3});
  ASSERT_TRUE(windows);
  EXPECT_EQ(windows->token, -1);
  EXPECT_NE(windows->note.find("on its own"), std::string::npos);
}

TEST(SphereFigure, TurnsAndLiftsWithoutChangingLengths) {
  const double point[3] = {0.2, -0.6, 0.7};
  for (const double azimuth : {0.0, 30.0, 200.0})
    for (const double elevation : {-40.0, 0.0, 90.0}) {
      const SeenPoint seen = seenPoint(point, 3, {azimuth, elevation});
      EXPECT_NEAR(seen.right * seen.right + seen.up * seen.up + seen.near * seen.near,
                  0.04 + 0.36 + 0.49, 1e-12);
    }
  const SeenPoint front = seenPoint(point, 3, {0, 0});
  EXPECT_NEAR(front.right, -0.6, 1e-12);
  EXPECT_NEAR(front.up, 0.7, 1e-12);
  EXPECT_NEAR(front.near, 0.2, 1e-12);
  const SeenPoint above = seenPoint(point, 3, {0, 90});
  EXPECT_NEAR(above.near, 0.7, 1e-12);
  const SeenPoint flat = seenPoint(point, 2, {77, 33});
  EXPECT_EQ(flat.right, 0.2);
  EXPECT_EQ(flat.up, -0.6);
}

TEST(SphereFigure, HasEveryPointInNumbersAndDots) {
  const ImagePairs pairs = drawnPairs(5, 1);
  const auto table = sphereTable(pairs, {.layer = 1, .head = -1, .dimensions = 3, .token = 2});
  ASSERT_TRUE(table);
  const std::string csv = sphereCsv(*table);
  EXPECT_TRUE(csv.starts_with(
      "layer,head,kind,token,input_1,input_2,input_3,image_1,image_2,image_3,share\n1,0,query,0,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 2 * 13);
  const Drawing drawing = sphereDrawing(*table, {}, "a.png");
  const auto dots = std::count_if(drawing.lines.begin(), drawing.lines.end(),
                                  [](const DrawnLine& line) { return line.points.size() == 1; });
  EXPECT_EQ(dots, 2 * 2 * 2 * 13 + 2);  // and two of the key
  for (const DrawnLine& line : drawing.lines)
    for (const auto& [x, y] : line.points) {
      EXPECT_GE(x, 0);
      EXPECT_LE(x, drawing.width);
      EXPECT_GE(y, 0);
      EXPECT_LE(y, drawing.height);
    }
  const TemporaryFolder folder;
  for (const char* name : {"sphere.svg", "sphere.pdf", "sphere.png", "sphere.csv"})
    EXPECT_TRUE(writeSphere(folder.path() / name, *table, {}, "a.png")) << name;
  EXPECT_FALSE(writeSphere(folder.path() / "sphere.txt", *table, {}, ""));
  EXPECT_EQ(*readFile(folder.path() / "sphere.csv", 1u << 20), csv);
}

}  // namespace
}  // namespace headlight
