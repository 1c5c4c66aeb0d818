// SPDX-License-Identifier: MIT
// Rules: PIX-2.
#include "job/formats/mesh_files.hpp"

#include <gtest/gtest.h>

using namespace heddle::job;

namespace {

TEST(Mesh, ObjFansIndicesAndAttributes) {
  const auto mesh = parse_obj(
      "# quad\nv 0 0 0\nv 1 0 0\r\nv 1 1 0\nv 0 1 0 2\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvn 0 0 1\nf 1/1/1 2/2/1 3/3/1 "
      "-1/-1/-1\n",
      "q.obj");
  ASSERT_TRUE(mesh.ok());
  EXPECT_EQ(mesh->mesh.positions.size(), 4u);
  EXPECT_EQ(mesh->mesh.positions[3][3], 2.0);
  EXPECT_EQ(mesh->mesh.triangles, (std::vector<std::array<std::uint32_t, 3>>{{0, 1, 2}, {0, 2, 3}}));
  ASSERT_NE(mesh->find("uv"), nullptr);
  EXPECT_EQ(mesh->find("uv")->values, (std::vector<double>{0, 0, 1, 0, 1, 1, 0, 1}));
  EXPECT_EQ(mesh->find("normal")->components, 3u);
}

TEST(Mesh, ObjErrorsNameTheLine) {
  for (const auto& [text, id] : {std::pair{"v 0 0\nf 1 1 1\n", "mesh-syntax"},
                                 {"v 0 0 0\nf 1 2 1\n", "mesh-index"},
                                 {"v 0 0 0\nf 1 0 1\n", "mesh-index"},
                                 {"v 0 0 0\nf 1 -2 1\n", "mesh-index"},
                                 {"v 0 0 0\nf 1/9 1 1\n", "mesh-index"},
                                 {"v 0 0 x\n", "mesh-syntax"},
                                 {"vt\n", "mesh-syntax"},
                                 {"v 0 0 0\nf 1 1\n", "mesh-syntax"},
                                 {"v 0 0 0\n", "mesh-empty"}}) {
    const auto mesh = parse_obj(text, "q.obj");
    ASSERT_FALSE(mesh.ok()) << text;
    EXPECT_EQ(mesh.diagnostics()[0].id, id) << text;
  }
}

TEST(Mesh, JsonWithFlatAttributes) {
  const auto mesh = parse_mesh_json(
      R"({"position": [[0,0,0],[1,0,0,1],[0,1,0]], "attributes": {"uv": [[0,0],[1,0],[0,1]], "id": [7,8,9]}, "triangles": [[0,1,2]], "flat": ["id"]})",
      "m.json");
  ASSERT_TRUE(mesh.ok());
  EXPECT_TRUE(mesh->find("id")->flat);
  EXPECT_FALSE(mesh->find("uv")->flat);
}

TEST(Mesh, JsonErrors) {
  for (const auto& [text, id] :
       {std::pair{R"({"triangles": []})", "mesh-missing"},
        {R"({"position": [[0,0,0]], "triangles": [[0,0,1]]})", "mesh-value"},
        {R"({"position": [[0,0]], "triangles": []})", "mesh-value"},
        {R"({"position": 3, "triangles": []})", "mesh-type"},
        {R"({"position": [[0,0,0]], "attributes": {"a": [[1],[2]]}, "triangles": []})", "mesh-value"},
        {R"({"position": [[0,0,0]], "triangles": [], "flat": ["x"]})", "mesh-value"},
        {R"({"position": [[0,0,0]], "triangles": [], "tangents": []})", "mesh-key"}}) {
    const auto mesh = parse_mesh_json(text, "m.json");
    ASSERT_FALSE(mesh.ok()) << text;
    EXPECT_EQ(mesh.diagnostics()[0].id, id) << text;
  }
}

}  // namespace
