// data_folder_test.cpp — who may look into a folder that Belay has made.
#include "service/cli/data_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::cli {
namespace {

namespace fs = std::filesystem;

struct DataFolder : ::testing::Test {
    const fs::path root =
        fs::path(::testing::TempDir()) / fmt::format("belay-data-folder-{}", ::getpid());
    DataFolder() { fs::create_directories(root); }
    ~DataFolder() override { fs::remove_all(root); }
};

TEST_F(DataFolder, a_new_one_is_for_its_owner_alone_and_one_that_exists_stays_as_it_is) {
    fs::create_directories(root / "shared");
    fs::permissions(root / "shared", fs::perms::owner_all | fs::perms::group_all);

    make_private_folder(root / "new" / "deep");
    make_private_folder(root / "shared");

    EXPECT_EQ(fs::status(root / "new").permissions(), fs::perms::owner_all);
    EXPECT_EQ(fs::status(root / "new" / "deep").permissions(), fs::perms::owner_all);
    EXPECT_EQ(fs::status(root / "shared").permissions(),
              fs::perms::owner_all | fs::perms::group_all);
}

TEST_F(DataFolder, a_file_in_its_way_is_named) {
    std::ofstream(root / "taken") << "x";
    for (const fs::path& folder : {root / "taken", root / "taken" / "deep"}) {
        try {
            make_private_folder(folder);
            FAIL() << "it should not have been made";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::StoreUnavailable);
            EXPECT_NE(std::string(error.what()).find("taken"), std::string::npos) << error.what();
        }
    }
}

TEST_F(DataFolder, a_bare_database_needs_none) {
    Place place;
    place.file = root / "none" / "bare.db";
    make_data_folder(place);
    EXPECT_FALSE(fs::exists(root / "none"));
}

}  // namespace
}  // namespace belay::cli
