//! Categories (MPI-5.0 §15.3.9).

use crate::abi::kinds::tools::*;
use crate::abi::kinds::*;
use crate::mpi::tools::categories::{CATEGORIES, CHANGES, category};
use crate::mpi::tools::variables;

mpi!(
    /// How many categories there are.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_category_get_num(process: &Process, num_cat: ToolInt) {
        process.tools.must_be_open()?;
        num_cat.there()?.set(CATEGORIES.len() as c_int);
        Ok(())
    }
);

mpi!(
    /// Describes a category.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_category_get_info(
        process: &Process, cat_index: Int, name: TextRoom, name_len: ToolInt, desc: TextRoom,
        desc_len: ToolInt, num_cvars: ToolInt, num_pvars: ToolInt, num_categories: ToolInt,
    ) {
        process.tools.must_be_open()?;
        let category = category(cat_index)?;
        name.set(name_len, category.name);
        desc.set(desc_len, category.description);
        num_cvars.set(category.cvars().len() as c_int);
        num_pvars.set(category.pvars().len() as c_int);
        num_categories.set(category.categories().len() as c_int);
        Ok(())
    }
);

mpi!(
    /// How many events a category has.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_category_get_num_events(process: &Process, cat_index: Int, num_events: ToolInt) {
        process.tools.must_be_open()?;
        num_events.there()?.set(category(cat_index)?.events().len() as c_int);
        Ok(())
    }
);

mpi!(
    /// The index of a category, by its name.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_category_get_index(process: &Process, name: ToolName, cat_index: ToolInt) {
        process.tools.must_be_open()?;
        let (name, place) = (name?, cat_index.there()?);
        place.set(variables::index_of(CATEGORIES, |known| known.name.as_bytes() == name, name)?);
        Ok(())
    }
);

mpi!(
    /// The control variables of a category.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_category_get_cvars(process: &Process, cat_index: Int, len: Int, indices: ToolInts) {
        process.tools.must_be_open()?;
        indices.fill(len, &category(cat_index)?.cvars())
    }
);

mpi!(
    /// The performance variables of a category.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_category_get_pvars(process: &Process, cat_index: Int, len: Int, indices: ToolInts) {
        process.tools.must_be_open()?;
        indices.fill(len, &category(cat_index)?.pvars())
    }
);

mpi!(
    /// The events of a category.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_category_get_events(process: &Process, cat_index: Int, len: Int, indices: ToolInts) {
        process.tools.must_be_open()?;
        indices.fill(len, &category(cat_index)?.events())
    }
);

mpi!(
    /// The categories below a category.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_category_get_categories(
        process: &Process, cat_index: Int, len: Int, indices: ToolInts,
    ) {
        process.tools.must_be_open()?;
        indices.fill(len, &category(cat_index)?.categories())
    }
);

mpi!(
    /// A number that is another when the categories have changed.
    #[raises_on(Tool)]
    #[season(Always)]
    fn MPI_T_category_changed(process: &Process, update_number: ToolInt) {
        process.tools.must_be_open()?;
        update_number.there()?.set(CHANGES);
        Ok(())
    }
);
